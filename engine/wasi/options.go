package wasi

// Options size an engine. Zero values take the defaults.
type Options struct {
	// Threads is how many steps may be taken at once. Default 32.
	Threads int
	// Queue is how many steps may wait for that before the engine says it is overloaded. Default 1024.
	Queue int
	// Heaps is how many guests there may be at once. Default 1024.
	Heaps int
	// HeapBytes is the most that a run's memory limit can be. Default 64 MiB.
	HeapBytes int
	// Spare is how many instances are kept for the next guests. Default 16.
	Spare int
	// CacheDir is where compiled code is kept between starts: machine code that is run as it is found, so nobody else
	// may write there. Empty: it is compiled at each start, which takes about a second.
	CacheDir string
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field *int
		value int
	}{
		{&o.Threads, 32},
		{&o.Queue, 1024},
		{&o.Heaps, 1024},
		{&o.HeapBytes, 64 << 20},
		{&o.Spare, 16},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	o.HeapBytes = (o.HeapBytes + wasmPage - 1) &^ (wasmPage - 1)
	return o
}
