package memory

import (
	"reflect"
	"time"

	"example.com/deputy"
)

// kept is a value as a database gives it back: a deep copy, times in UTC to the microsecond, people without rights and credential.
func kept[T any](v T) T {
	own(reflect.ValueOf(&v).Elem())
	return v
}

// own makes a value share nothing with the one that it was copied from.
func own(v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		ownStruct(v)
	case reflect.Slice:
		ownSlice(v)
	case reflect.Pointer:
		if !v.IsNil() {
			to := reflect.New(v.Type().Elem())
			to.Elem().Set(v.Elem())
			v.Set(to)
			own(to.Elem())
		}
	}
}

func ownStruct(v reflect.Value) {
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = moment(*p)
		return
	case *deputy.Person:
		*p = deputy.Person{Issuer: p.Issuer, ID: p.ID, Name: p.Name}
		return
	}
	for i := range v.NumField() {
		own(v.Field(i))
	}
}

func ownSlice(v reflect.Value) {
	if v.IsNil() {
		return
	}
	to := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(to, v)
	v.Set(to)
	switch v.Type().Elem().Kind() {
	case reflect.Struct, reflect.Slice, reflect.Pointer:
		for i := range v.Len() {
			own(v.Index(i))
		}
	}
}

func moment(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }
