// Package enginetest is the fake that ships with the engine's interface: an Engine whose guests follow a script that is
// written in Go. What is above the engine can so be tested without cgo, without JavaScript, and inside a
// testing/synctest bubble.
//
// A script is a list of steps. Each is given the decoded input and a Records to which it adds what the guest is
// supposed to ask for; the fake encodes the records and decodes them again, just as the bytes of a real guest are.
//
//	e := enginetest.New(func(source string) enginetest.Script {
//		return enginetest.Script{
//			func(in *enginetest.Input, out *enginetest.Records) error {
//				out.Call(1, "echo", `{"n":1}`).Pending()
//				return nil
//			},
//			func(in *enginetest.Input, out *enginetest.Records) error {
//				out.Fulfil(string(in.Answers[0].Payload), 0)
//				return nil
//			},
//		}
//	})
//
// The package also watches how guests are used: two steps at once, a step after Close, or a guest that is closed twice
// or never is reported by Engine.Close and Engine.Misuse.
//
// It must not know anything but package engine: what a tool, a turn or a run is, is the test's business.
package enginetest
