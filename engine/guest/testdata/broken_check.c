// Fails an assertion (assert) or gives up (abort), inside a step or outside of one:
//
//	broken_check assert|abort inside|outside
//
// Inside, it prints the status with which the step was left, and what was found broken.
#include "../broken.c"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread struct control *current;

void guest_leave(int status)
{
	current->armed = 0;
	longjmp(current->leave, status);
}

int main(int argc, char **argv)
{
	static struct control c;
	if (argc != 3)
		return 2;
	current = &c;
	int status = setjmp(c.leave);
	if (status == 0) {
		c.armed = strcmp(argv[2], "inside") == 0;
		assert(strcmp(argv[1], "abort") == 0);
		abort();
	}
	printf("%d %s\n", status, c.broken);
	return 0;
}
