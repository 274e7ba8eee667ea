package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/bridge/store"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/namespaces"
)

// The store of a session (contract D10).
//
// What a cell reads is what the session kept when its exec began, with the cell's own changes. That goes into the guest with
// the first step, so it is part of the heap, of images and of journals: a run that is restored, rebuilt or imported reads
// what it would have read otherwise, whatever other cells have changed since. What it changes is kept at once, in the session
// of the process where it runs then; the last change of a key counts.

// The names of the requests that change the store. No tool and no namespace has such a name.
const (
	storeSet    = "$store:set"
	storeDelete = "$store:delete"
)

// wordsThatReachStore are those without which no cell gets hold of the store: see wordsThatReachAPI.
var wordsThatReachStore = []string{"store", "this", "This", "eval", "Function", "constructor", `\u`}

// storeScope returns whose store the turn's cells share: its session's, as agent, session id and key name it. A turn
// without a session has one of its own.
func (t *Turn) storeScope() store.Scope {
	c := &t.context
	scope := store.Scope{AgentID: c.AgentID, SessionID: c.SessionID, SessionKey: c.SessionKey}
	if c.SessionID == "" && c.SessionKey == "" {
		scope.TurnID = t.id
	}
	return scope
}

// openGlobals gives the run what its guest makes globals of: the store and what errors are called, for cells that can get
// hold of them, and namespaces. It says which processor time that took.
func (r *run) openGlobals(scopes *namespaces.Scopes) (time.Duration, error) {
	if err := r.see(scopes); err != nil {
		return 0, err
	}
	body := r.cell.source.Body
	stores, catches := r.turn.config.StoreEnabled && mentions(body, wordsThatReachStore), mentions(body, wordsThatCatch)
	if !stores && !catches {
		return 0, nil
	}
	clock := startClock()
	defer clock.stop()
	var entries [][]byte
	if stores {
		entries = append(entries, r.globalOfStore())
	}
	if names := r.globalOfNames(); names != nil {
		entries = append(entries, names)
	}
	err := r.addGlobals(entries)
	return clock.lap(), err
}

// addGlobals puts entries in front of the run's namespaces, as the guest reads them.
func (r *run) addGlobals(entries [][]byte) error {
	if len(entries) == 0 {
		return nil
	}
	text := append([]byte{'['}, bytes.Join(entries, []byte{','})...)
	if others := r.scopes.Text(); len(others) > 0 {
		text = append(append(text, ','), others[1:]...)
	} else {
		text = append(text, ']')
	}
	r.globals = text
	return r.keep(len(text))
}

// globalOfStore is the entry of the run's globals that is the session's store.
func (r *run) globalOfStore() []byte {
	items := r.turn.stores.View(r.turn.storeScope())
	text := []byte(`["store","",[4,[`)
	for n, item := range items {
		if n > 0 {
			text = append(text, ',')
		}
		text = jsontext.AppendString(text, item.Key)
		text = jsontext.AppendString(append(text, ','), item.JSON)
	}
	return append(text, "]]]"...)
}

// isStore says whether a namespace request changes the store and is no call.
func isStore(asked *engine.Request) bool { return asked.Name == storeSet || asked.Name == storeDelete }

// changeStore carries out a change that the cell asks for. It happens at once: it waits for nobody.
func (r *run) changeStore(q *request, asked *engine.Request) error {
	c := &r.turn.config
	if !c.StoreEnabled {
		return &refusalError{codeStoreOff, "store is off in this turn."}
	}
	// An escape takes at most six bytes for one.
	if limit := 6*(c.StoreMaxBytes+store.MaxKeyBytes) + 64; len(asked.Payload) > limit {
		return storeTooLarge(c.StoreMaxBytes)
	}
	var change struct{ Key, JSON string }
	if json.Unmarshal(asked.Payload, &change) != nil {
		return &refusalError{codeInvalidInput, "store was asked for something that it does not know."}
	}
	if change.Key == "" || len(change.Key) > store.MaxKeyBytes {
		return &refusalError{codeInvalidInput, fmt.Sprintf("store key must have 1 to %d bytes, and this one has %d.", store.MaxKeyBytes, len(change.Key))}
	}
	scope := r.turn.storeScope()
	if asked.Name == storeDelete {
		q.resolve([]byte("false"))
		if r.turn.stores.Delete(scope, change.Key) {
			q.resolve([]byte("true"))
		}
		return nil
	}
	if !jsontext.Valid([]byte(change.JSON)) {
		return &refusalError{codeInvalidInput, "store.set needs a JSON value."}
	}
	limits := store.Limits{MaxKeys: c.StoreMaxKeys, MaxBytes: c.StoreMaxBytes, TTL: time.Duration(c.StoreTTLSeconds) * time.Second}
	if err := r.turn.stores.Set(scope, change.Key, change.JSON, limits); err != nil {
		return refuseStore(err)
	}
	q.resolve([]byte("null"))
	return nil
}

func refuseStore(err error) error {
	var full *account.FullError
	if errors.As(err, &full) {
		return &refusalError{codeTooManyBytes, "store is full: " + err.Error() + "."}
	}
	return &refusalError{codeStoreFull, err.Error()}
}

func storeTooLarge(limit int) error {
	return &refusalError{codeStoreFull, fmt.Sprintf("store is full: a session may keep %d bytes, and this value alone is larger. Store less.", limit)}
}
