package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/codecell/codecell/engine/typo"
)

// readVerdict reads {block, reason, input}, or nothing. OpenClaw's names blockReason and params mean the same.
func readVerdict(body []byte) (v Verdict, err error) {
	keys, err := readKeys(body, map[string]string{"blockReason": "reason", "params": "input"}, "block", "input", "reason")
	if err != nil {
		return v, err
	}
	v.Input = keys["input"]
	return v, errors.Join(readOne(keys, "block", &v.Block), readOne(keys, "reason", &v.Reason))
}

// readRevision reads {result | error, reason}, or nothing.
func readRevision(body []byte) (r Revision, err error) {
	keys, err := readKeys(body, nil, "error", "reason", "result")
	if err != nil {
		return r, err
	}
	r.Result = keys["result"]
	return r, errors.Join(readOne(keys, "error", &r.Error), readOne(keys, "reason", &r.Reason))
}

// readKeys reads an object of known keys, under their first names. A key that is not known may be a misspelt one that
// matters, so it is refused. Null is as good as nothing.
func readKeys(body []byte, aliases map[string]string, known ...string) (map[string]json.RawMessage, error) {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil, nil
	}
	var keys map[string]json.RawMessage
	if !sound(body) {
		return nil, errors.New("it did not answer with JSON")
	}
	if err := json.Unmarshal(body, &keys); err != nil || keys == nil {
		return nil, errors.New("it did not answer with a JSON object")
	}
	maps.DeleteFunc(keys, func(_ string, value json.RawMessage) bool { return bytes.Equal(value, []byte("null")) })
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if name := aliases[key]; name != "" {
			if keys[name] != nil {
				return nil, fmt.Errorf("its answer has both %s and %s", name, key)
			}
			keys[name] = keys[key]
			delete(keys, key)
		} else if !slices.Contains(known, key) {
			return nil, unknownKey(key, known)
		}
	}
	return keys, nil
}

func unknownKey(key string, known []string) error {
	if near := typo.Nearest(key, known); near != "" {
		return fmt.Errorf("its answer has an unknown key %.40q; did it mean %q?", key, near)
	}
	return fmt.Errorf("its answer has an unknown key %.40q", key)
}

func readOne(keys map[string]json.RawMessage, key string, into any) error {
	if value := keys[key]; value != nil && json.Unmarshal(value, into) != nil {
		return fmt.Errorf("its answer has a %s of the wrong type", key)
	}
	return nil
}
