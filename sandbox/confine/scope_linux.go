package confine

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// scopesABI is the first Landlock version that knows scopes (Linux 6.12).
const scopesABI = 6

// LandlockABI is the version of this kernel's Landlock, 0 without it.
func LandlockABI() int {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(v)
}

// scopeThread puts the calling thread, and all that it starts from now on,
// into a Landlock domain of scopes only: abstract sockets and signals do not
// leave it. With the host's network the abstract sockets of the host would
// be within reach, and no mount hides those.
//
// The domain has no file rules on purpose: with any, the kernel refuses
// mount(2) below it, and with that every sandbox inside. It is put on before
// bubblewrap because there it costs no process of its own. The thread has
// no_new_privs already.
func scopeThread() error {
	if abi := LandlockABI(); abi < scopesABI {
		return fmt.Errorf("landlock version %d has no scopes, want %d", abi, scopesABI)
	}
	attr := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("landlock_create_ruleset: %w", errno)
	}
	defer unix.Close(int(fd))
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("landlock_restrict_self: %w", errno)
	}
	return nil
}
