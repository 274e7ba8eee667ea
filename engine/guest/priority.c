// Giving way: the thread of a step that takes long lowers its own priority while others have little to do and want to be
// served, so that the kernel lets them preempt it at once.
//
// The host asks for it by the signal that hard stops are sent with. A thread changes no other's priority: that is all
// that a sandboxed process is allowed to. The step ends with the priority that it began with, before the thread
// executes Go code again: a thread of low priority inside of the Go runtime would keep others waiting.
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SCHED_IDLE
#define SCHED_IDLE 5  // of Linux, which the header has only for those that ask before any other header does
#endif

static void set_policy(int policy)
{
	struct sched_param none = {0};
	int before = errno;
	syscall(SYS_sched_setscheduler, 0, policy, &none);
	errno = before;
}

// give_way does what the host wants. It is called by the thread of the step, from the signal's handler.
void give_way(struct control *c)
{
	int wanted = c->give_way;
	if (c->gave_way == wanted)
		return;
	c->gave_way = wanted;
	set_policy(wanted ? SCHED_IDLE : SCHED_OTHER);
}

// give_way_end is called by the thread when the step is over.
void give_way_end(struct control *c)
{
	if (!c->gave_way)
		return;
	c->gave_way = 0;
	set_policy(SCHED_OTHER);
}

// give_way_send is called by another thread. The signal may come when the step is over.
int give_way_send(struct control *c, int wanted)
{
	c->give_way = wanted;
	if (!c->armed || c->stop_sent || c->gave_way == wanted)
		return 0;
	c->stop_sent = 1;
	return syscall(SYS_tgkill, getpid(), c->thread, STOP_SIGNAL) == 0;
}

// give_way_late says whether the step under way should have ended: then it is to get there.
int give_way_late(struct control *c)
{
	return c->armed && (c->stop || monotonic_ns() >= c->deadline_ns);
}
