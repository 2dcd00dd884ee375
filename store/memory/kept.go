package memory

import (
	"reflect"
	"time"

	"example.com/deputy"
)

// kept is a value as a database gives it back: a deep copy, times in UTC to the microsecond, people without rights and credential.
func kept[T any](v T) T {
	var out T
	copyInto(reflect.ValueOf(&out).Elem(), reflect.ValueOf(&v).Elem())
	return out
}

func copyInto(to, from reflect.Value) {
	switch v := from.Interface().(type) {
	case time.Time:
		to.Set(reflect.ValueOf(moment(v)))
		return
	case deputy.Person:
		to.Set(reflect.ValueOf(deputy.Person{Issuer: v.Issuer, ID: v.ID, Name: v.Name}))
		return
	}
	switch from.Kind() {
	case reflect.Struct:
		for i := range from.NumField() {
			copyInto(to.Field(i), from.Field(i))
		}
	case reflect.Slice:
		copySlice(to, from)
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			copyInto(to.Elem(), from.Elem())
		}
	default:
		to.Set(from)
	}
}

func copySlice(to, from reflect.Value) {
	if from.IsNil() {
		return
	}
	to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
	if from.Type().Elem().Kind() == reflect.Uint8 {
		reflect.Copy(to, from)
		return
	}
	for i := range from.Len() {
		copyInto(to.Index(i), from.Index(i))
	}
}

func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
