//go:build !race

package questions

const raced = false
