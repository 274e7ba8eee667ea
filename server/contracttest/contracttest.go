package contracttest

import (
	"net/http"
	"testing"
)

// Target is a running service. It must have its test executors on (contract J), the operator's config at its defaults,
// and nothing else to do: some rules are about counts of the whole process. It must allow 100 guest heaps at once. It asks a
// server of Hooks before and after calls of HookTools, and, as "cells", before the cells of the other tenant, for some seconds.
type Target struct {
	// Base is the service's URL without a slash at the end.
	Base string
	// Key and OtherKey are API keys of two tenants (contract I2).
	Key, OtherKey string
	// Tenant is whose key Key is, and SigningKey what the service signs that tenant's HTTP tool calls with (contract G3).
	Tenant     string
	SigningKey []byte
	// Restores says that the engine restores snapshots, so that a turn may ask for it (contract C4).
	Restores bool
	// GuardedKey is the key of a third tenant, whose calls and cells the partners' webhook is asked about.
	GuardedKey string
	// Partners are what the service is connected to.
	Partners *Partners
	// Client sends the requests. It must not time out before a minute.
	Client *http.Client
}

// section is the cases of one part of the contract.
type section struct {
	name string
	run  func(*testing.T, *client)
}

// Run runs every rule's cases as subtests, such as t.Run("B3 …"), against the target. First those that need the service
// to themselves, then all others side by side.
func Run(t *testing.T, target Target) {
	c := &client{target: target, key: target.Key}
	for _, s := range []section{
		{"H limits", hostileLoops},
		{"H memory", hostileMemory},
		{"C6 places", suspendedPlaces},
		{"C6 sweep", expirySweep},
		{"G7 hang-up", hangUps},
		{"G7 prompt", promptAborts},
	} {
		t.Run(s.name, func(t *testing.T) { s.run(t, c) })
	}
	t.Run("side by side", func(t *testing.T) {
		for _, s := range []section{
			{"A activation", activation},
			{"A config", configuration},
			{"A policy", policies},
			{"A surface", surface},
			{"A payload", payloads},
			{"A isolation", isolation},
			{"B input", inputs},
			{"B source", sources},
			{"B modules", modules},
			{"B shell", shellTexts},
			{"B TypeScript", typeScript},
			{"B values", values},
			{"B language", language},
			{"B results", results},
			{"B errors", guestErrors},
			{"C drains", drains},
			{"C suspension", suspensions},
			{"C wait", waits},
			{"C ownership", ownership},
			{"C limits", suspensionLimits},
			{"C output", outputDelivery},
			{"C survival", survival},
			{"C results", callerResults},
			{"D globals", guestGlobals},
			{"D search", searches},
			{"D describe", descriptions},
			{"D calls", toolCalls},
			{"D overflow", overflows},
			{"D output", outputs},
			{"D surroundings", surroundings},
			{"D store", stores},
			{"E MCP", mcpCalls},
			{"E API", apiFiles},
			{"F namespaces", namespaceChecklist},
			{"F refusals", namespaceRefusals},
			{"G one path", callPath},
			{"G HTTP", httpTools},
			{"G hooks", hooks},
			{"G approvals", approvals},
			{"G announcements", announcements},
			{"G attempts", attempts},
			{"G places", places},
			{"G streams", streams},
			{"G telemetry", telemetries},
			{"G trajectory", trajectories},
			{"G abort", aborts},
			{"G recursion", recursion},
			{"I problems", problems},
			{"I idempotency", idempotency},
			{"I events", events},
			{"J wire", wireFormat},
			{"checklist", checklist},
		} {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				s.run(t, c)
			})
		}
	})
}
