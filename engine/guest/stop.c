// The hard stop: ends a step that has run past its deadline because the engine is inside a builtin that never calls
// its interrupt handler (array methods on huge lengths, string search, big integers, regular expressions …).
//
// The host's watchdog sends the thread a signal, and the handler leaves the step by longjmp. That is sound here
// and would not be elsewhere: a guest writes to nothing but its arena, which is thrown away whole, takes no lock
// of libc's (its allocator is the arena, its timezone is fixed, Atomics are removed), and the frames between the
// handler and guest_step are the engine's alone, since no step ever calls back into Go.
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int thread_id(void)
{
	static __thread int id;
	if (!id)
		id = (int)syscall(SYS_gettid);
	return id;
}

static void on_stop(int signal)
{
	(void)signal;
	struct control *c = current;
	if (!c || !c->armed)
		return;  // the step ended in time after all
	c->stop_sent = 0;
	int status = c->stop ? STEP_STOPPED : STEP_HARD_STOP;
	if (status == STEP_HARD_STOP && monotonic_ns() < c->deadline_ns + c->grace_ns) {
		give_way(c);
		return;
	}
	c->left_by_signal = 1;
	guest_leave(status);
}

// hard_stop_install sets the handler up once a process. It runs on the thread's signal stack, as all handlers in
// a Go process must. The signal stays blocked while it runs: one that came on top, on a stack of a few pages that
// the kernel fills with register state, would soon overflow it.
int hard_stop_install(void)
{
	struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_ONSTACK | SA_RESTART};
	return sigaction(STOP_SIGNAL, &action, NULL) == 0 ? 0 : errno;
}

// hard_stop_unblock unblocks the signal after a step was left from inside the handler, which never returned.
void hard_stop_unblock(struct control *c)
{
	if (!c->left_by_signal)
		return;
	c->left_by_signal = 0;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, STOP_SIGNAL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

// hard_stop_send is called by the watchdog, from another thread. It signals the thread of a step that should
// have ended; the handler decides, on that thread, whether the step still runs and still should end. Real-time signals
// queue, so there is never more than one under way.
int hard_stop_send(struct control *c)
{
	if (!c->armed || c->stop_sent)
		return 0;
	if (!c->stop && monotonic_ns() < c->deadline_ns + c->grace_ns)
		return 0;
	c->stop_sent = 1;
	return syscall(SYS_tgkill, getpid(), c->thread, STOP_SIGNAL) == 0 ? 1 : 0;
}

void guest_request_stop(struct control *c) { c->stop = 1; }
