package sqldb

import (
	"strconv"
	"strings"
)

// wholeRange is what a whole number of so many bits holds. 64 have no bounds of their own: the language has none beyond.
func wholeRange(bits int, unsigned bool) (least, most string) {
	switch {
	case unsigned && bits == 64:
		return "0", ""
	case bits <= 0 || bits >= 64:
		return "", ""
	case unsigned:
		return "0", strconv.FormatInt(1<<bits-1, 10)
	}
	return strconv.FormatInt(-1<<(bits-1), 10), strconv.FormatInt(1<<(bits-1)-1, 10)
}

// decimalRange is what so many digits hold, scale of them after the point. A scale that is more than all digits, or not known, says nothing here.
func decimalRange(digits, scale int) (least, most string) {
	if digits <= 0 || scale < 0 || scale > digits {
		return "", ""
	}
	most = strings.Repeat("9", digits-scale)
	if most == "" {
		most = "0"
	}
	if scale > 0 {
		most += "." + strings.Repeat("9", scale)
	}
	return "-" + most, most
}
