//go:build !race

package deputy_test

const raced = false
