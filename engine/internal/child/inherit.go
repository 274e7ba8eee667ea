package child

import (
	"fmt"
	"os"
	"syscall"
)

// FirstSocket is the descriptor at which a child finds its first socket.
const FirstSocket = 3

// Inherited returns the child's end of the socket with the given number, from 0. It fails in a process that was not
// started by a Spawner.
func Inherited(number int) (*os.File, error) {
	descriptor := FirstSocket + number
	if err := syscall.SetNonblock(descriptor, true); err != nil {
		return nil, fmt.Errorf("no parent is at descriptor %d: %w", descriptor, err)
	}
	syscall.CloseOnExec(descriptor)
	return os.NewFile(uintptr(descriptor), "parent"), nil
}
