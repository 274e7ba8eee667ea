package sizes

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDefaults(t *testing.T) {
	threads, queue, heaps, heapBytes := 1, 0, -1, 0
	Defaults(&threads, &queue, &heaps, &heapBytes)
	require.Equal(t, []int{1, Queue, Heaps, HeapBytes}, []int{threads, queue, heaps, heapBytes})
}
