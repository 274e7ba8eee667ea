// Package courtesy lets steps that take long, on threads that execute C, give way to shorter ones: see engine/guest/priority.c. Where the
// machine is so busy that such a step would not get anywhere, it has its usual priority for half of the time, and when it is to
// end. A thread that gets no processor can't raise its own priority: somebody else does.
//
// It does not know which steps are to give way, or when (engine/internal/stepper).
package courtesy
