// Faults: a guest that was compiled ahead of time reaches for what is not its memory, and the kernel sends its thread a signal.
//
// The Go runtime has a handler for that signal, and needs it: a nil pointer in Go is the same signal. So the handler here is
// asked first, takes what is a guest's own (this thread executes a function of a sandbox, and the address is one of those that
// were reserved for it), and passes everything else to the handler that was there before, as it came. It keeps that one's
// mask and flags. A fault of the guest leaves its function, as any trap does.
#include "sandbox_host.h"

#include <errno.h>
#include <pthread.h>
#include <ucontext.h>

static struct sigaction before;

// own says whether a fault is the guest's. Who sends the signal to a process, or a fault at another address, is none.
static bool own(const struct sandbox *s, const siginfo_t *info)
{
	const uint8_t *at = info->si_addr;
	return s && s->step.armed && (info->si_code == SEGV_ACCERR || info->si_code == SEGV_MAPERR) && at >= s->reserved &&
	       at < s->reserved + s->reserved_bytes;
}

static void pass_on(int signal, siginfo_t *info, void *context)
{
	if (before.sa_flags & SA_SIGINFO) {
		before.sa_sigaction(signal, info, context);
		return;
	}
	if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
		before.sa_handler(signal);
		return;
	}
	// The instruction is executed again, and ends the process.
	struct sigaction none = {.sa_handler = SIG_DFL};
	sigaction(signal, &none, NULL);
}

static void on_fault(int signal, siginfo_t *info, void *context)
{
	struct sandbox *s = inside;
	if (!own(s, info)) {
		pass_on(signal, info, context);
		return;
	}
	s->step.armed = 0;
	s->mask = ((const ucontext_t *)context)->uc_sigmask;
	s->faulted = 1;
	longjmp(s->step.leave, SANDBOX_FAULT);
}

// sandbox_open sets the handler up, once a process, before there is a sandbox. The Go runtime has set up its own by then, which it
// does once.
int sandbox_open(void)
{
	sandbox_code.init();
	if (sigaction(SIGSEGV, NULL, &before) != 0)
		return errno;
	struct sigaction action = {.sa_sigaction = on_fault, .sa_mask = before.sa_mask};
	action.sa_flags = before.sa_flags | SA_SIGINFO | SA_ONSTACK;
	return sigaction(SIGSEGV, &action, NULL) == 0 ? 0 : errno;
}

// sandbox_fault_done unblocks the signals after a function was left from inside the handler, which never returned.
void sandbox_fault_done(struct sandbox *s)
{
	if (!s->faulted)
		return;
	s->faulted = 0;
	pthread_sigmask(SIG_SETMASK, &s->mask, NULL);
}
