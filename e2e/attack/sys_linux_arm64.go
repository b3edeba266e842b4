package attack

// Calls that package syscall does not name.
const (
	sysAddKey         = 217
	sysKeyctl         = 219
	sysNameToHandleAt = 264
	sysOpenByHandleAt = 265
	sysSetns          = 268
	sysRenameat2      = 276
	sysMemfdCreate    = 279
	sysBPF            = 280
	sysUserfaultfd    = 282
	sysFchmodat2      = 452
)
