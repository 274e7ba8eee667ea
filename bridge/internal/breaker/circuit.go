package breaker

import "time"

// How circuits behave, unless Limits say otherwise.
const (
	threshold = 5                // failures in a row that open one
	window    = time.Minute      // failures in a row are no further apart than this
	minPause  = 2 * time.Second  // how long it is open at first
	maxPause  = 60 * time.Second // and at most; each trial that fails doubles it
)

// Limits say when circuits open and for how long at first; zero means the default.
type Limits struct {
	Failures int           // in a row that open one
	Pause    time.Duration // at most a minute
}

func (l Limits) withDefaults() Limits {
	if l.Failures <= 0 {
		l.Failures = threshold
	}
	if l.Pause <= 0 {
		l.Pause = minPause
	}
	return l
}

// circuit is closed while calls go through; open while they don't; and half open when its pause is over: then one call at a
// time goes through, as a trial, and what comes of it closes or opens the circuit. The zero value is closed.
type circuit struct {
	failures  int
	failedAt  time.Time     // the last time
	pause     time.Duration // of the present opening; 0 if it is closed
	openUntil time.Time
	trialAt   time.Time // when the present trial began; zero for none
}

// blocked is for how long no call goes through; 0 or less if one does. A trial that takes longer than the pause keeps others
// from trying no more.
func (c *circuit) blocked(now time.Time) time.Duration {
	switch {
	case c.pause == 0:
		return 0
	case now.Before(c.openUntil) || c.trialAt.IsZero():
		return c.openUntil.Sub(now)
	}
	return c.trialAt.Add(c.pause).Sub(now)
}

// begin lets a call through, and tells whether it is a trial.
func (c *circuit) begin(now time.Time) (trial bool) {
	if c.pause == 0 {
		return false
	}
	c.trialAt = now
	return true
}

// abandon says that a trial was ended and showed nothing.
func (c *circuit) abandon(began time.Time) {
	if c.trialAt.Equal(began) {
		c.trialAt = time.Time{}
	}
}

// fail counts a failure of a call that began then, and tells whether it has opened a closed circuit. Calls that were under
// way together and fail are one failure: the later ones show nothing new.
func (c *circuit) fail(began, now time.Time, of Limits) (opened bool) {
	switch {
	case c.pause > 0 && now.Before(c.openUntil): // it began before
		return false
	case c.pause > 0:
		c.open(now, min(2*c.pause, maxPause))
		return false
	case c.failures > 0 && began.Before(c.failedAt):
		return false
	case now.Sub(c.failedAt) > window:
		c.failures = 0
	}
	c.failures++
	c.failedAt = now
	if of = of.withDefaults(); c.failures < of.Failures {
		return false
	}
	c.open(now, min(of.Pause, maxPause))
	return true
}

func (c *circuit) open(now time.Time, pause time.Duration) {
	c.pause, c.openUntil, c.trialAt, c.failedAt = pause, now.Add(pause), time.Time{}, now
}
