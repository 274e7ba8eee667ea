package config

// Key is one key of the code mode config (contract A2) as the parser, the documentation and the tests read it. A key is
// either a number (Max is not zero) or a choice (Allowed is not empty); `enabled`, `languages`, `store.enabled` and `approvals`
// have shapes of their own and are described by Doc alone.
type Key struct {
	// Key is the wire name; a dot stands for nesting.
	Key string
	// Default, Min and Max belong to a number. Values outside are clamped.
	Default, Min, Max int
	// CappedBy names the number that bounds this one as well; empty if none does.
	CappedBy string
	// Allowed are the values of a choice, the default first.
	Allowed []string
	// Doc is one line for the operator.
	Doc string

	number func(*Config) *int
	choice func(*Config) *string
}

// The keys whose values are neither numbers nor choices.
const (
	keyEnabled   = "enabled"
	keyLanguages = "languages"
	keyStore     = "store.enabled"
	keyApprovals = "approvals"
)

// The languages of a cell, in the order in which they are reported.
const (
	LanguageJavaScript = "javascript"
	LanguageTypeScript = "typescript"
)

// Values of the choices of a Config.
const (
	DrainAll        = "all"
	DrainNamespaces = "namespaces"

	OutputIncremental = "incremental"
	OutputCumulative  = "cumulative"

	OutputFail     = "fail"
	OutputTruncate = "truncate"

	OverflowQueue  = "queue"
	OverflowReject = "reject"

	ErrorCodesPrecise = "precise"
	ErrorCodesStrict  = "strict"

	ResumeHot     = "hot"
	ResumeRestore = "restore"

	ApprovalNever  = "never"
	ApprovalFirst  = "first"
	ApprovalAlways = "always"
)

// keys is the one table of A2: whatever needs a key, a default or a bound reads it here.
var keys = []Key{
	{Key: keyEnabled, Doc: "Only the boolean true switches code mode on."},
	{
		Key: "runtime", Allowed: []string{"quickjs-wasi"},
		Doc: "The only runtime there is.",
	},
	{
		Key: "mode", Allowed: []string{"only"},
		Doc: "The model sees exec and wait, and nothing else.",
	},
	{Key: keyLanguages, Doc: "Any subset of javascript and typescript; empty or invalid means both."},
	{
		Key: "timeoutMs", Default: 10_000, Min: 100, Max: 60_000,
		Doc:    "Time of one exec or wait, in milliseconds: the cell's own, the service's for it, and sleep.",
		number: func(c *Config) *int { return &c.TimeoutMs },
	},
	{
		Key: "memoryLimitBytes", Default: 64 << 20, Min: 1 << 20, Max: 1 << 30,
		Doc:    "Heap of one guest.",
		number: func(c *Config) *int { return &c.MemoryLimitBytes },
	},
	{
		Key: "maxOutputBytes", Default: 64 << 10, Min: 1 << 10, Max: 10 << 20,
		Doc:    "UTF-8 bytes of the JSON of output, and of value, each.",
		number: func(c *Config) *int { return &c.MaxOutputBytes },
	},
	{
		Key: "maxSnapshotBytes", Default: 10 << 20, Min: 1 << 10, Max: 256 << 20,
		Doc:    "Bytes by which a suspended heap may differ from a fresh one.",
		number: func(c *Config) *int { return &c.MaxSnapshotBytes },
	},
	{
		Key: "maxPendingToolCalls", Default: 16, Min: 1, Max: 128,
		Doc:    "Nested calls of one cell that run at once.",
		number: func(c *Config) *int { return &c.MaxPendingToolCalls },
	},
	{
		Key: "snapshotTtlSeconds", Default: 900, Min: 1, Max: 86_400,
		Doc:    "How long a suspended run is kept, from each suspension.",
		number: func(c *Config) *int { return &c.SnapshotTTLSeconds },
	},
	{
		Key: "searchDefaultLimit", Default: 8, Min: 1, Max: 50, CappedBy: "maxSearchLimit",
		Doc:    "Hits of tools.search when the cell names no limit.",
		number: func(c *Config) *int { return &c.SearchDefaultLimit },
	},
	{
		Key: "maxSearchLimit", Default: 50, Min: 1, Max: 50,
		Doc:    "Most hits that a cell may ask tools.search for.",
		number: func(c *Config) *int { return &c.MaxSearchLimit },
	},
	{
		Key: "drain", Allowed: []string{DrainAll, DrainNamespaces},
		Doc:    "Which nested calls are awaited inside the same exec or wait.",
		choice: func(c *Config) *string { return &c.Drain },
	},
	{
		// The default is the widest value, so that drainMs follows timeoutMs until somebody sets it.
		Key: "drainMs", Default: 60_000, Min: 1, Max: 60_000, CappedBy: "timeoutMs",
		Doc:    "How long an exec or wait drains nested calls before it suspends; timeoutMs unless set.",
		number: func(c *Config) *int { return &c.DrainMs },
	},
	{
		Key: "outputMode", Allowed: []string{OutputIncremental, OutputCumulative},
		Doc:    "Whether output is delivered once or repeated with each result.",
		choice: func(c *Config) *string { return &c.OutputMode },
	},
	{
		Key: "outputOverflow", Allowed: []string{OutputFail, OutputTruncate},
		Doc:    "Whether too much output fails the run or is cut.",
		choice: func(c *Config) *string { return &c.OutputOverflow },
	},
	{
		Key: "overflow", Allowed: []string{OverflowQueue, OverflowReject},
		Doc:    "What becomes of nested calls above maxPendingToolCalls.",
		choice: func(c *Config) *string { return &c.Overflow },
	},
	{
		Key: "errorCodes", Allowed: []string{ErrorCodesPrecise, ErrorCodesStrict},
		Doc:    "Whether failures use the precise codes or only the six of the contract.",
		choice: func(c *Config) *string { return &c.ErrorCodes },
	},
	{
		Key: "maxSuspendedRuns", Default: 64, Min: 1, Max: 1_000_000,
		Doc:    "Suspended runs of one tenant.",
		number: func(c *Config) *int { return &c.MaxSuspendedRuns },
	},
	{
		Key: "maxQueuedToolCalls", Default: 1_000, Min: 1, Max: 100_000,
		Doc:    "Nested calls of one cell that may queue behind the pending ones.",
		number: func(c *Config) *int { return &c.MaxQueuedToolCalls },
	},
	{
		Key: "maxHeldBytes", Default: 32 << 20, Min: 64 << 10, Max: 1 << 30,
		Doc:    "Bytes that the service may hold for one run beside its heap: source, inputs and answers of calls, output.",
		number: func(c *Config) *int { return &c.MaxHeldBytes },
	},
	{
		Key: "maxSourceBytes", Default: 256 << 10, Min: 1 << 10, Max: 8 << 20,
		Doc:    "UTF-8 bytes of one cell's source.",
		number: func(c *Config) *int { return &c.MaxSourceBytes },
	},
	{
		Key: "snapshot.resume", Allowed: []string{ResumeHot, ResumeRestore},
		Doc:    "Whether a parked heap may be resumed, or every wait restores a snapshot.",
		choice: func(c *Config) *string { return &c.SnapshotResume },
	},
	{Key: keyStore, Doc: "Only the boolean true gives the cells of a session a store; `store: true` is short for it."},
	{
		Key: "store.maxKeys", Default: 100, Min: 1, Max: 1_000,
		Doc:    "Keys that a session's store may keep.",
		number: func(c *Config) *int { return &c.StoreMaxKeys },
	},
	{
		Key: "store.maxBytes", Default: 64 << 10, Min: 1 << 10, Max: 1 << 20,
		Doc:    "UTF-8 bytes of the keys and the JSON of the values in a session's store.",
		number: func(c *Config) *int { return &c.StoreMaxBytes },
	},
	{
		Key: "store.ttlSeconds", Default: 3_600, Min: 1, Max: 86_400,
		Doc:    "How long a value is kept, from when it was set last.",
		number: func(c *Config) *int { return &c.StoreTTLSeconds },
	},
	{Key: keyApprovals, Doc: "List of {tool, approval}: calls of which tools a person must approve, beside what the operator's approvals say."},
	{
		// The default is the widest value, so that it follows snapshotTtlSeconds until somebody sets it.
		Key: "approvalTimeoutSeconds", Default: 86_400, Min: 1, Max: 86_400, CappedBy: "snapshotTtlSeconds",
		Doc:    "How long a call waits for an approval; as long as its run is kept unless set.",
		number: func(c *Config) *int { return &c.ApprovalTimeoutSeconds },
	},
}

// Keys returns the table of contract A2 in the order in which it is documented.
func Keys() []Key { return append([]Key(nil), keys...) }

// findKey finds a key by its wire name.
func findKey(name string) (Key, bool) {
	for _, k := range keys {
		if k.Key == name {
			return k, true
		}
	}
	return Key{}, false
}
