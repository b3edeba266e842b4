package sandbox

// Sizes of the private directories in memory. They bound what a lane can
// take of the host's memory through files; tmpfs pages count only when used.
const (
	tmpSize = 2 << 30
	shmSize = 1 << 30
	runSize = 64 << 20
)

// BaseRows are the rows that every lane has. The caller drops those whose
// path does not exist on this host (a mount there would make it appear) and
// adds its own.
//
// They grant reading of the whole host, which is why home and secrets need
// rows of their own (see HomeSecrets).
func BaseRows() []Row {
	return []Row{
		{Path: "/", Access: Read, Reason: "programs and libraries of the host, read-only"},
		{Path: "/dev", Access: Devices, Reason: "harmless device nodes only"},
		{Path: "/dev/shm", Access: Private, Size: shmSize, Mode: 0o1777, Reason: "shared memory of the lane's own"},
		{Path: "/proc", Access: Processes, Reason: "the lane's own processes only"},
		{Path: "/run", Access: Private, Size: runSize, Reason: "the host's sockets and runtime state are not reachable"},
		{Path: "/tmp", Access: Private, Size: tmpSize, Mode: 0o1777, Reason: "no temporary files shared with other users or lanes"},
		{Path: "/var/tmp", Access: Private, Size: tmpSize, Mode: 0o1777, Reason: "no temporary files shared with other users or lanes"},
	}
}

// RunRows are the directories below /run that a host may need to run
// programs at all. Drop those that do not exist.
func RunRows() []Row {
	return []Row{
		{Path: "/run/current-system", Access: Read, Reason: "NixOS: the programs of the running system"},
		{Path: "/run/opengl-driver", Access: Read, Reason: "NixOS: graphics libraries"},
		{Path: "/run/wrappers", Access: Read, Reason: "NixOS: wrapped programs"},
	}
}

// RootSecrets are what only root can read and a lane started by root would
// otherwise show. Drop those that do not exist.
func RootSecrets() []Row {
	const accounts = "password hashes, readable because lane was started by root"
	return []Row{
		{Path: "/etc/shadow", Access: Hide, File: true, Reason: accounts},
		{Path: "/etc/shadow-", Access: Hide, File: true, Reason: accounts},
		{Path: "/etc/gshadow", Access: Hide, File: true, Reason: accounts},
		{Path: "/etc/gshadow-", Access: Hide, File: true, Reason: accounts},
		{Path: "/etc/sudoers", Access: Hide, File: true, Reason: "who may become root"},
		{Path: "/etc/sudoers.d", Access: Hide, Reason: "who may become root"},
		{Path: "/etc/ssl/private", Access: Hide, Reason: "private keys of the host"},
		{Path: "/etc/ssh", Access: Hide, Reason: "host keys, readable because lane was started by root"},
		{Path: "/etc/NetworkManager/system-connections", Access: Hide, Reason: "network passwords"},
		{Path: "/etc/wireguard", Access: Hide, Reason: "private keys of the host"},
		{Path: "/etc/docker", Access: Hide, Reason: "daemon keys and registry logins"},
		{Path: "/etc/kubernetes", Access: Hide, Reason: "cluster keys"},
		{Path: "/etc/letsencrypt", Access: Hide, Reason: "private keys of the host"},
		{Path: "/var/lib/docker", Access: Hide, Reason: "files of containers"},
		{Path: "/var/lib/containerd", Access: Hide, Reason: "files of containers"},
		{Path: "/var/lib/containers", Access: Hide, Reason: "files of containers"},
		{Path: "/var/lib/kubelet", Access: Hide, Reason: "tokens of pods"},
		{Path: "/var/spool/cron", Access: Hide, Reason: "other users' jobs"},
		{Path: "/var/log", Access: Hide, Reason: "logs of the host carry secrets of others"},
		{Path: "/root", Access: Hide, Reason: "root's home"},
	}
}
