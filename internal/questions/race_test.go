//go:build race

package questions

// raced says that the race detector looks on: what is long is then shorter, for it runs whole without.
const raced = true
