// Package contracttest is the conformance suite: the contract's rules as named subtests that drive a live service over
// HTTP. Engines, isolation modes and stores all run the same suite, so that none of them can be a little different.
//
// It owns what is asked and what must come back. It must not know how a service is built: it imports nothing of this
// module and sees only the wire format.
//
// A file holds one section of the contract, or a part of one: a_… for turns, b_… for exec, and so on. The cases are
// tables; reply and turn make them read like sentences, and every failure shows what was sent and what came back.
package contracttest
