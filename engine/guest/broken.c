// What the engine finds broken in its own state. It asserts, and a failed assertion ends the process; but all that a
// guest's engine knows lies in the guest's heap, which is thrown away whole, so inside a step it ends the step.
//
// The linker redirects these (see cgo.go). Outside of steps they are libc's own.
#include "guest.h"

_Noreturn void __real___assert_fail(const char *what, const char *file, unsigned line, const char *function);
_Noreturn void __real_abort(void);

static void leave_broken(const char *what)
{
	struct control *c = current;
	if (!c || !c->armed)
		return;
	c->broken = what;
	guest_leave(STEP_BROKEN);
}

_Noreturn void __wrap___assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	leave_broken(what);
	__real___assert_fail(what, file, line, function);
}

_Noreturn void __wrap_abort(void)
{
	leave_broken("abort");
	__real_abort();
}
