package guest

import _ "embed"

//go:embed guest.js
var guestJS string

//go:embed web.js
var webJS string

// Sources returns the runtime's own JavaScript in the order in which a heap is booted with it. Each is an
// expression that evaluates to a function of the host object.
func Sources() []string { return []string{guestJS, webJS} }
