package bridge

import "context"

// askForApproval lets every call pass.
func askForApproval(context.Context, *call) error { return nil }
