package bridge

import "context"

type listenerKey struct{}

// WithProgress returns a context for an exec or wait that tells f what tools say of their progress, as long as no later wait
// of the run is served; also tools that an earlier exec or wait has called. f is called on the tools' goroutines, perhaps on
// several at once, and must return at once.
func WithProgress(ctx context.Context, f func(CallProgressed)) context.Context {
	return context.WithValue(ctx, listenerKey{}, f)
}

// listen has the request that is now served hear of the run's tools.
func (r *run) listen(ctx context.Context) {
	if f, ok := ctx.Value(listenerKey{}).(func(CallProgressed)); ok {
		r.listener.Store(&f)
	} else if r.listener.Load() != nil {
		r.listener.Store(nil)
	}
}

// progressOf is how a tool tells of its progress.
func (r *run) progressOf(ctx context.Context, c *call) func(done, total float64, message string) {
	return func(done, total float64, message string) {
		e := CallProgressed{c.callID, c.entry.ID(), done, total, message}
		r.observeCall(ctx, e)
		if f := r.listener.Load(); f != nil {
			(*f)(e)
		}
	}
}
