package sandboxtest

import (
	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// WithoutLandlock makes this process, and all that it starts from now on, find a kernel that does not know Landlock. There is
// no way back.
func WithoutLandlock() error {
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionAllow,
			Syscalls: []seccomp.SyscallGroup{{
				Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS),
				Names:  []string{"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self"},
			}},
		},
	})
}
