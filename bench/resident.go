package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Resident returns how many bytes of memory this process has, and how many its child processes have together. It needs
// the kernel's /proc.
func Resident() (self, children int, err error) {
	if self, err = residentOf("self"); err != nil {
		return 0, 0, err
	}
	pids, err := childProcesses("self")
	for _, pid := range pids {
		// One that has ended meanwhile has none.
		bytes, _ := residentOf(pid)
		children += bytes
	}
	return self, children, err
}

func childProcesses(of string) ([]string, error) {
	lists, err := filepath.Glob(filepath.Join("/proc", of, "task/*/children"))
	if err != nil {
		return nil, err
	}
	var pids []string
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread that has ended has started nothing that lives
		pids = append(pids, strings.Fields(string(text))...)
	}
	return pids, nil
}

func residentOf(pid string) (int, error) {
	text, err := os.ReadFile(filepath.Join("/proc", pid, "statm"))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0, fmt.Errorf("/proc/%s/statm has no resident pages", pid)
	}
	pages, err := strconv.Atoi(fields[1])
	return pages * os.Getpagesize(), err
}
