package linear

import "syscall"

// discard zeroes pages by giving them back to the system. The range must begin and end at a page's.
func discard(pages []byte) {
	if len(pages) == 0 {
		return
	}
	if syscall.Madvise(pages, syscall.MADV_DONTNEED) != nil {
		clear(pages)
	}
}
