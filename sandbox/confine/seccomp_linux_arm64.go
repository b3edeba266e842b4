package confine

import "golang.org/x/sys/unix"

func init() { nativeArch = unix.AUDIT_ARCH_AARCH64 }
