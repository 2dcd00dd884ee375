package storetest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"example.com/deputy"
)

// odd is text that stores have broken before: quotes, separators, escapes, other planes, combining marks, direction marks.
const odd = "a'b\"c\\n\n\t\r$1 ?; -- <script>&amp; \u2028\u2029 😀👩‍👩‍👧 é e\u0301 \u202eabc ÆØÅ \x7f \x01"

// full is a value with something in every field, each different. A field that is added to a type is so in the tests at once.
func full[T any]() T {
	var v T
	n := 0
	fill(reflect.ValueOf(&v).Elem(), &n)
	return v
}

func fill(v reflect.Value, n *int) {
	*n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(at(*n)))
		return
	case deputy.Person:
		v.Set(reflect.ValueOf(ana()))
		return
	case json.RawMessage: // not a byte of it may change: spaces, escapes, zeros
		v.SetBytes(fmt.Appendf(nil, `{ "n":%d.50, "a" : "<b>\u00e9é😀\u2028", "a":null}`, *n))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%s %d", odd, *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	default:
		panic("storetest: no value for a " + v.Type().String())
	}
}

// parts are one part for each field of Part, filled.
func parts() []deputy.Part {
	whole := reflect.ValueOf(full[deputy.Part]())
	out := make([]deputy.Part, whole.NumField())
	for i := range out {
		reflect.ValueOf(&out[i]).Elem().Field(i).Set(whole.Field(i))
	}
	return out
}
