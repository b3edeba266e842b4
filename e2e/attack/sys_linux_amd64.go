package attack

// Calls that package syscall does not name.
const (
	sysAddKey         = 248
	sysKeyctl         = 250
	sysNameToHandleAt = 303
	sysOpenByHandleAt = 304
	sysSetns          = 308
	sysRenameat2      = 316
	sysMemfdCreate    = 319
	sysBPF            = 321
	sysUserfaultfd    = 323
	sysFchmodat2      = 452
)
