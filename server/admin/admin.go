package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/keyring"
)

// Options configure an Admin.
type Options struct {
	// Keys have those with the role admin. Where there is none, the listener keeps to loopback.
	Keys *keyring.Ring
	// Handlers are more of what is served, by patterns of http.ServeMux such as "GET /metrics".
	Handlers map[string]http.Handler
	// Service is drained, and is not if nil.
	Service Drainer
	// Level is the log's, and can't be changed if it is nil.
	Level *slog.LevelVar
	// Logger takes what was changed, and by which key. Nil discards it.
	Logger *slog.Logger
}

// Drainer is a service that can be told to take no new work.
type Drainer interface {
	// Drain has the service refuse new work, or take it again.
	Drain(on bool)
	// Draining says whether it refuses new work, and how many execs and waits are still under way.
	Draining() (on bool, running int)
}

// Admin answers HTTP. Make one with New; it may be used from any goroutine.
type Admin struct {
	options Options
	mux     *http.ServeMux
	guard   *http.CrossOriginProtection
}

// New makes an Admin that does not listen yet.
func New(o Options) *Admin {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	a := &Admin{options: o, mux: http.NewServeMux(), guard: http.NewCrossOriginProtection()}
	for pattern, handler := range o.Handlers {
		a.mux.Handle(pattern, handler)
	}
	a.mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	a.mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	a.mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	a.mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	if o.Service != nil {
		a.mux.HandleFunc("GET /drain", a.draining)
		a.mux.HandleFunc("PUT /drain", a.drain)
		a.mux.HandleFunc("DELETE /drain", a.drain)
	}
	if o.Level != nil {
		a.mux.HandleFunc("GET /log-level", a.level)
		a.mux.HandleFunc("PUT /log-level", a.setLevel)
	}
	return a
}

// errNoKeys is why an address is refused.
var errNoKeys = errors.New("the admin listener keeps to loopback unless there is a key for it: " +
	"listen on 127.0.0.1 or [::1], or make one with codecell keys add --role admin")

// Listen opens the address to serve on. Without a key of an administrator it opens loopback addresses only.
func (a *Admin) Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	if !a.options.Keys.Has(keyring.RoleAdmin) && !loopback(l.Addr()) {
		return nil, errors.Join(fmt.Errorf("refusing to listen on %s: %w", l.Addr(), errNoKeys), l.Close())
	}
	return l, nil
}

func loopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return !ok || tcp.IP.IsLoopback()
}

const (
	headerTimeout = 10 * time.Second
	// bodyTimeout is for requests as small as those here.
	bodyTimeout = 10 * time.Second
	// writeTimeout is longer than anybody wants to wait for a profile.
	writeTimeout = 10 * time.Minute
	maxHeader    = 32 << 10
	maxBody      = 64 << 10
	// endTimeout is for the last answers.
	endTimeout = time.Second
)

// Serve answers on l until ctx ends, and closes it.
func (a *Admin) Serve(ctx context.Context, l net.Listener) error {
	srv := &http.Server{
		Handler: a.Handler(loopback(l.Addr())), ReadHeaderTimeout: headerTimeout, ReadTimeout: bodyTimeout, WriteTimeout: writeTimeout,
		MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(a.options.Logger.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer cancel()
	err := srv.Shutdown(ending)
	if err != nil {
		err = srv.Close() // a profile under way is not worth waiting for
	}
	<-failed
	return err
}

// Handler returns all routes behind their guard, for a listener on loopback or elsewhere.
func (a *Admin) Handler(onLoopback bool) http.Handler {
	return a.guard.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, refusal := a.admit(r, onLoopback)
		if refusal != nil {
			refuse(w, refusal.status, refusal.detail)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		a.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), whoKey{}, who)))
	}))
}

// refusal is an answer to somebody who is not let in.
type refusal struct {
	status int
	detail string
}

// whoKey is where a request's context has the id of its key.
type whoKey struct{}

// admit says whose key a request came with. On loopback none is needed as long as there is none.
func (a *Admin) admit(r *http.Request, onLoopback bool) (who string, refused *refusal) {
	if onLoopback && !a.options.Keys.Has(keyring.RoleAdmin) {
		if !server.IsLoopback(r.Host) {
			return "", &refusal{http.StatusForbidden, "Without a key the admin listener answers only to localhost."}
		}
		return "", nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return "", &refusal{http.StatusUnauthorized, "Send Authorization: Bearer, then a space and a key with the role admin."}
	}
	key, err := a.options.Keys.Find(token)
	switch {
	case err != nil:
		return "", &refusal{http.StatusUnauthorized, "The API key is not known here, or has expired."}
	case key.Role != keyring.RoleAdmin:
		return "", &refusal{http.StatusForbidden, "The API key has the role " + string(key.Role) + ". This takes one with the role admin."}
	}
	return key.ID, nil
}

// refuse sends a problem document (RFC 9457).
func refuse(w http.ResponseWriter, status int, detail string) {
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="codecell admin"`)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	send(w, status, map[string]any{"title": http.StatusText(status), "status": status, "detail": detail})
}

func send(w http.ResponseWriter, status int, v any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // to a client that is gone
}

// drainState is the answer of /drain.
type drainState struct {
	Draining bool `json:"draining"`
	// Running is how many execs and waits are under way.
	Running int `json:"running"`
}

// draining is GET /drain.
func (a *Admin) draining(w http.ResponseWriter, _ *http.Request) {
	on, running := a.options.Service.Draining()
	send(w, http.StatusOK, drainState{on, running})
}

// drain is PUT and DELETE /drain. The process goes on, until it is told to end.
func (a *Admin) drain(w http.ResponseWriter, r *http.Request) {
	on := r.Method == http.MethodPut
	a.options.Service.Drain(on)
	a.options.Logger.Info("draining", "on", on, "key", r.Context().Value(whoKey{}))
	a.draining(w, r)
}

// logLevel is the body of /log-level.
type logLevel struct {
	Level string `json:"level"`
}

// level is GET /log-level.
func (a *Admin) level(w http.ResponseWriter, _ *http.Request) {
	send(w, http.StatusOK, logLevel{strings.ToLower(a.options.Level.Level().String())})
}

// setLevel is PUT /log-level.
func (a *Admin) setLevel(w http.ResponseWriter, r *http.Request) {
	var asked logLevel
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	var level slog.Level
	if err := decoder.Decode(&asked); err != nil || level.UnmarshalText([]byte(asked.Level)) != nil {
		refuse(w, http.StatusBadRequest, `Send {"level": "debug"}, or info, warn or error.`)
		return
	}
	a.options.Level.Set(level)
	// At the new level: it is always said.
	a.options.Logger.Log(r.Context(), max(level, slog.LevelInfo), "log level", "level", level.String(), "key", r.Context().Value(whoKey{}))
	a.level(w, r)
}
