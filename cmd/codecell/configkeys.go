package main

import (
	"reflect"
	"strings"
)

// configKeys names the keys of the config file in their order, those of its objects with dots: what an error about an
// unknown key shows. Lists and maps are named and not entered.
func configKeys() []string { return keysOf(reflect.TypeFor[Config](), "") }

func keysOf(object reflect.Type, prefix string) []string {
	var keys []string
	for i := range object.NumField() {
		field := object.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Type.Kind() == reflect.Struct {
			keys = append(keys, keysOf(field.Type, prefix+name+".")...)
			continue
		}
		keys = append(keys, prefix+name)
	}
	return keys
}
