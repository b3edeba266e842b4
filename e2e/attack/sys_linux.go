package attack

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// Calls that have one number on every architecture.
const (
	sysIoUringSetup = 425
	sysOpenTree     = 428
	sysMoveMount    = 429
	sysFsopen       = 430
	sysFsconfig     = 431
	sysFsmount      = 432
	sysPidfdOpen    = 434
	sysOpenat2      = 437
	sysPidfdGetfd   = 438
)

func init() {
	system.abstractSockets = true
	system.privateMounts = func(attr *syscall.SysProcAttr) { attr.Unshareflags |= syscall.CLONE_NEWNS }
	system.keep, system.handle, system.terminal = keepInKernel, handleOf, openTerminal
}

func call(number uintptr, args ...uintptr) (uintptr, error) {
	var a [6]uintptr
	copy(a[:], args)
	r, _, errno := syscall.Syscall6(number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return r, errno
	}
	return r, nil
}

// text is a path as the kernel wants it.
func text(s string) uintptr {
	b, err := syscall.BytePtrFromString(s)
	if err != nil {
		panic(err) // no name here has a NUL
	}
	return pointer(b)
}

// pinned keeps what a number points to alive; the inside is short-lived. Lane's
// gate makes several fixtures at a time.
var pinned struct {
	sync.Mutex
	list []any
}

func pointer[T any](v *T) uintptr {
	pinned.Lock()
	defer pinned.Unlock()
	pinned.list = append(pinned.list, v)
	return uintptr(unsafe.Pointer(v))
}

// at is AT_FDCWD.
func at() uintptr {
	fd := -100
	return uintptr(fd)
}

// keepInKernel makes a shared memory segment and a key.
func keepInKernel(f *Fixture) error {
	const private, create, size = 0, 0o1000, 4096 // IPC_PRIVATE, IPC_CREAT
	id, err := call(syscall.SYS_SHMGET, private, size, create|0o666)
	if err != nil {
		return fmt.Errorf("shmget: %w", err)
	}
	f.Segment = int(id)
	f.undoAll = append(f.undoAll, func() { _, _ = call(syscall.SYS_SHMCTL, id, 0, 0) }) // IPC_RMID
	const userKeyring = -4                                                              // KEY_SPEC_USER_KEYRING
	ring := userKeyring
	name, secret := "lane-attack-"+token(), []byte(f.secrets["key"])
	key, err := call(sysAddKey, text("user"), text(name), pointer(&secret[0]), uintptr(len(secret)), uintptr(ring))
	if err != nil {
		return nil // a kernel without keys has none to read
	}
	const all = 0x3f3f0000                                  // of its possessor and of its user
	if _, err := call(sysKeyctl, 5, key, all); err != nil { // KEYCTL_SETPERM
		return fmt.Errorf("keyctl: %w", err)
	}
	f.KeyName = name
	f.undoAll = append(f.undoAll, func() { _, _ = call(sysKeyctl, 9, key, uintptr(ring)) }) // KEYCTL_UNLINK
	return nil
}

// handleOf is a file's handle in hex, as open_by_handle_at takes it.
func handleOf(path string) string {
	var h [8 + 128]byte
	binary.NativeEndian.PutUint32(h[:], 128)
	var mount int32
	if _, err := call(sysNameToHandleAt, at(), text(path), pointer(&h[0]), pointer(&mount), 0); err != nil {
		return ""
	}
	return hex.EncodeToString(h[:8+binary.NativeEndian.Uint32(h[:])])
}
