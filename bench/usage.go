package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// Usage is what a process and its child processes have of the machine.
type Usage struct {
	CPU      time.Duration // processor time since they began
	Resident int           // bytes of memory
}

// clockTick is the unit of /proc's processor times. It is the same on all Linux machines.
const clockTick = 10 * time.Millisecond

// UsageOf returns what a process has, given its number. Child processes that have ended are left out. It needs the kernel's /proc.
func UsageOf(pid int) (Usage, error) {
	self := strconv.Itoa(pid)
	pids, err := childProcesses(self)
	if err != nil {
		return Usage{}, err
	}
	total, err := usageOf(self)
	for _, child := range pids {
		u, gone := usageOf(child)
		if errors.Is(gone, os.ErrNotExist) {
			continue
		}
		err = errors.Join(err, gone)
		total.CPU += u.CPU
		total.Resident += u.Resident
	}
	return total, err
}

func usageOf(pid string) (Usage, error) {
	resident, err := residentOf(pid)
	if err != nil {
		return Usage{}, err
	}
	text, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return Usage{}, err
	}
	// The name, in brackets, is whatever the process likes; utime and stime are the 14th and 15th field.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	const user, system = 14 - 3, 15 - 3
	if len(fields) <= system {
		return Usage{}, fmt.Errorf("/proc/%s/stat has no processor times", pid)
	}
	u, err := strconv.Atoi(string(fields[user]))
	if err != nil {
		return Usage{}, err
	}
	s, err := strconv.Atoi(string(fields[system]))
	return Usage{time.Duration(u+s) * clockTick, resident}, err
}
