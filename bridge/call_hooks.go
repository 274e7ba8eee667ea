package bridge

import "context"

func hasHooksBefore(*call) bool { return false }

func runHooksBefore(context.Context, *call) error { return nil }

func hasHooksAfter(*call) bool { return false }

func runHooksAfter(context.Context, *call) error { return nil }
