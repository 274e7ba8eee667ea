package bridge

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/engine"
)

// requests is what a run has asked for: what is pending, which calls wait for a place or are under way, the answers that
// the guest has not had yet, and what the calls may have changed.
//
// It owns its lock, and whoever holds a run may call its methods: the goroutine that drives it, tool calls, deliveries. No
// lookup, validation or call happens under the lock, and nothing under it takes longer than the requests or answers that
// are passed in; their number is bounded by the config.
//
// The bytes of inputs and answers are held in the run's account until the guest has them (contract H6).
type requests struct {
	run       *runID
	maxActive int // calls that may be under way at once
	account   *account.Account
	wake      chan struct{} // an answer has come

	mu            sync.Mutex
	ended         bool // nothing is taken any more
	leaving       bool // nothing is taken for calls that are parked
	byID          map[uint32]*request
	first, last   *request // those that are not settled, in the order of the requests
	count         [requestKinds]int
	toolsPending  int // of them, those that came through tools.*
	timers        timerHeap
	queue         []*call // that wait for a place
	active        int     // calls that have one
	mailbox       []engine.Answer
	mailBytes     int
	effects       []*SideEffect
	nonIdempotent bool // a call was started that must not be repeated
}

// maxSideEffects bounds what a failed run lists; the first ones are kept.
const maxSideEffects = 1000

// init is called once, before anything else.
func (s *requests) init(run *runID, maxActive int, held *account.Account) {
	s.run, s.maxActive, s.account, s.wake = run, maxActive, held, make(chan struct{}, 1)
}

// add takes in a request that the driving goroutine has judged. The error means that the step can't be the guest's.
func (s *requests) add(q *request) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[uint32]*request{}
	}
	if s.byID[q.id] != nil {
		return fmt.Errorf("%w: request %d is already pending", engine.ErrProtocol, q.id)
	}
	s.byID[q.id] = q
	s.link(q)
	return nil
}

// link puts a request behind the others. mu must be held.
func (s *requests) link(q *request) {
	q.previous = s.last
	if s.last == nil {
		s.first = q
	} else {
		s.last.next = q
	}
	s.last = q
	s.count[q.kind]++
	if isToolsCall(q.method) {
		s.toolsPending++
	}
	if q.kind == timerRequest {
		s.timers.push(q)
	}
}

// unlink takes a request out of those that are not settled, and releases what it held. mu must be held.
func (s *requests) unlink(q *request) {
	if q.previous == nil {
		s.first = q.next
	} else {
		q.previous.next = q.next
	}
	if q.next == nil {
		s.last = q.previous
	} else {
		q.next.previous = q.previous
	}
	q.previous, q.next = nil, nil
	s.count[q.kind]--
	if isToolsCall(q.method) {
		s.toolsPending--
	}
	if q.kind == timerRequest {
		s.timers.remove(q)
	}
	s.account.Release(q.held)
}

// isCall says whether a request is for a tool, or a namespace's API.
func isCall(m engine.Method) bool {
	return m == engine.MethodCall || m == engine.MethodCallValue || m == engine.MethodNamespace
}

func isToolsCall(m engine.Method) bool {
	return m >= engine.MethodSearch && m <= engine.MethodCallValue
}

// cancel forgets the timer of that number, if there is one.
func (s *requests) cancel(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q := s.byID[id]; q != nil && q.kind == timerRequest && !q.settled {
		s.unlink(q)
		delete(s.byID, id)
	}
}

// start lets what a step asked for begin: answers that are known are on their way, and calls wait for a place, or for
// somebody outside; ctx is theirs. It returns whom to ask.
func (s *requests) start(ctx context.Context, fresh []*request) (questions []*approval.Ticket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range fresh {
		q.ctx = ctx
		switch q.kind {
		case answeredRequest:
			s.post(q, q.answer)
		case localRequest:
			s.queue = append(s.queue, q.call)
		case callerRequest:
			s.note(q, statePending)
		}
		if q.call != nil && q.call.asked != nil {
			questions = append(questions, q.call.asked)
		}
	}
	return questions
}

// next returns a call that has got a place to go on, nil if there is none. It has the place until somebody stops being at
// work on it.
func (s *requests) next() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.queue) == 0 || s.active >= s.maxActive || s.ended {
		return nil
	}
	c := s.queue[0]
	s.queue[0] = nil
	s.queue = s.queue[1:]
	s.active++
	c.busy, c.placed = true, true
	if c.at == atExecution {
		s.note(c.request, stateCancelled) // here, so that calls are listed in the order in which they begin
	}
	return c
}

// idle notes that nobody is at work on a call any more. mu must be held.
func (s *requests) idle(c *call) {
	if c.placed {
		s.active--
	}
	c.busy, c.placed = false, false
}

// enqueue lets a call wait for a place. It returns false if the run is over.
func (s *requests) enqueue(c *call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.idle(c)
		s.queue = append(s.queue, c)
	}
	return !s.ended
}

// begin lists a call as started, under the same lock that end takes: so the list of a run that is over is complete. It
// returns false if the run is over, and the call is not on its list.
func (s *requests) begin(q *request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !q.noted && !s.ended {
		s.note(q, stateCancelled) // until it is known how it ended
	}
	return q.noted
}

// The states of a call that was started (contract B7).
const (
	stateCompleted = "completed"
	stateFailed    = "failed"
	stateCancelled = "cancelled" // it was under way when the run ended, and may have happened
	stateRefused   = "refused"   // told to observers only: it did not happen
	statePending   = "pending"   // it is with the caller
)

// note lists a call that may change something from now on, and whether it matters if that happens twice (contract B7,
// G3). mu must be held.
func (s *requests) note(q *request, state string) {
	if a := q.entry.Tool().Annotations; !a.ReadOnly && !a.Idempotent {
		s.nonIdempotent = true
	}
	q.noted, q.callID = true, s.run.call(q.id)
	if len(s.effects) < maxSideEffects {
		q.effect = &SideEffect{ID: q.callID, ToolID: q.entry.ID(), State: state}
		s.effects = append(s.effects, q.effect)
	}
}

// finish posts the reply to a call that has passed all stages. What the call came to is listed also for a run that is over.
func (s *requests) finish(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle(c)
	if c.effect != nil {
		c.effect.State = c.ran
	}
	if s.ended {
		s.become(c.request, answeredRequest) // it has been recorded, so it is not one of the abandoned ones
	}
	s.post(c.request, c.reply)
}

// post settles a request. Where the account has no room for its answer, a short one that says so takes its place. mu must
// be held.
func (s *requests) post(q *request, answer engine.Answer) {
	if q.settled || s.ended {
		return
	}
	if err := s.exchange(&q.heldResult, len(answer.Payload)); err != nil {
		answer = q.rejection(s.run.call(q.id), codeTooManyBytes, fmt.Sprintf(
			"the answer has %d bytes, and %v. Ask for less at once, or await calls before starting others.", len(answer.Payload), err))
		_ = s.exchange(&q.heldResult, 0) // it takes less than what the request itself held
	}
	s.settle(q, answer)
}

// maxRemembered is how large a request may be that is remembered as it is when it is settled, in bytes.
const maxRemembered = 2 * requestOverhead

// settle puts an answer into the mailbox, which holds the bytes of the result from now on. mu must be held.
func (s *requests) settle(q *request, answer engine.Answer) {
	q.settled, q.call = true, nil
	s.unlink(q)
	if q.size() > maxRemembered {
		// It is remembered until the guest has its answer, and what it held is not counted any more.
		s.byID[q.id] = &request{id: q.id, kind: q.kind, brought: q.brought, settled: true}
	}
	s.mailBytes += q.heldResult
	s.mailbox = append(s.mailbox, answer)
	s.stir()
}

// stir wakes whoever waits for answers, or for something to wait for.
func (s *requests) stir() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// take empties the mailbox and fires the timers that are due: answers in the order in which they came, then the timers,
// earliest first (contract C3). If there is nothing, it says when the next timer is due (zero for none) and whether somebody
// else has a call to carry out.
func (s *requests) take(now time.Time) (answers []engine.Answer, next time.Time, calls bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answers = s.mailbox
	s.account.Release(s.mailBytes)
	s.mailbox, s.mailBytes = nil, 0
	for _, a := range answers {
		delete(s.byID, a.ID)
	}
	for q := s.timers.due(now); q != nil; q = s.timers.due(now) {
		q.settled = true
		s.unlink(q)
		delete(s.byID, q.id)
		answers = append(answers, engine.Answer{ID: q.id, Kind: engine.AnswerFired})
	}
	return answers, s.timers.next(), s.count[localRequest]+s.count[callerRequest]+s.count[approvalRequest] > 0
}

// giveBack puts answers that the guest could not be given back where they were.
func (s *requests) giveBack(answers []engine.Answer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	size := 0
	for _, a := range answers {
		size += len(a.Payload)
	}
	if err := s.account.Hold(size); err != nil {
		return err
	}
	s.mailbox, s.mailBytes = append(answers, s.mailbox...), s.mailBytes+size
	return nil
}

// outstanding returns how much the guest has not had an answer to, and how much of it are timers.
func (s *requests) outstanding() (all, timers int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range s.count {
		all += n
	}
	return all + len(s.mailbox), s.count[timerRequest]
}

// waits is what decides whether a run has to wait for somebody else.
type waits struct {
	yields    bool
	tools     bool      // something that came through tools.*
	answers   bool      // answers are there, or known
	calls     bool      // of executors
	nextTimer time.Time // zero if there is none
}

func (s *requests) waits() waits {
	s.mu.Lock()
	defer s.mu.Unlock()
	return waits{
		yields: s.count[yieldRequest] > 0, tools: s.toolsPending > 0, calls: s.count[localRequest] > 0,
		answers: len(s.mailbox) > 0 || s.count[answeredRequest] > 0, nextTimer: s.timers.next(),
	}
}

// answerYields answers every yield: being resumed is what it waited for (contract D9).
func (s *requests) answerYields() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for q := s.first; q != nil && s.count[yieldRequest] > 0; {
		following := q.next
		if q.kind == yieldRequest {
			s.post(q, q.answer)
		}
		q = following
	}
}

// end refuses all that comes from now on. It returns the calls that were started, and whether none of them must not be
// repeated.
func (s *requests) end() (effects []SideEffect, harmless bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	for _, e := range s.effects {
		effects = append(effects, *e)
	}
	return effects, !s.nonIdempotent
}

// abandoned returns the calls that nobody is at work on, once the run is over.
func (s *requests) abandoned() []*call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var calls []*call
	for q := s.first; q != nil; q = q.next {
		if q.call != nil && q.kind != answeredRequest && !q.call.busy {
			calls = append(calls, q.call)
		}
	}
	s.queue = nil
	return calls
}

// underWay returns the numbers of calls whose answers will come to this process.
func (s *requests) underWay() []uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []uint32
	for q := s.first; q != nil; q = q.next {
		if q.kind == localRequest {
			ids = append(ids, q.id)
		}
	}
	slices.Sort(ids)
	return ids
}
