package executor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/engine/typo"
)

// The keys that every "executor" object may have, and those of each whose calls are carried out here.
var (
	callerKeys = []string{"type", "timeoutMs"}
	headKeys   = append(slices.Clone(callerKeys), "retries", "maxConcurrent")
)

// onlyKeys refuses a key of an "executor" object that nobody reads: a method, a header or a delay would be lost. Letter case
// makes no difference, as for encoding/json.
func onlyKeys(spec []byte, own ...string) error {
	return noOthers(spec, slices.Concat(headKeys, own))
}

func noOthers(spec []byte, known []string) error {
	var err error
	gjson.ParseBytes(spec).ForEach(func(key, _ gjson.Result) bool {
		if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, key.Str) }) {
			return true
		}
		shown := key.Str[:min(len(key.Str), 64)]
		if near := typo.Nearest(key.Str, known); near != "" {
			err = fmt.Errorf("unknown key %q; did you mean %q?", shown, near)
		} else {
			err = fmt.Errorf("unknown key %q; it has %s", shown, strings.Join(known, ", "))
		}
		return false
	})
	return err
}
