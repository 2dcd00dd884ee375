// Package arch holds the rules of the house as tests: who may import whom, how large things may get, and which calls stand in one place only.
package arch
