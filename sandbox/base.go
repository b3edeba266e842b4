package sandbox

import "slices"

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
// They grant reading of the whole host, less what HiddenRows takes away; home
// and secrets need rows of their own (see HomeSecrets).
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

// shownTop are the directories in / that hold what the host's programs need.
// /tmp and the like have rows of their own.
var shownTop = []string{"bin", "boot", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "proc", "run", "sbin", "snap", "sys", "tmp", "usr"}

// HiddenRows hide each other directory in /, whose names are given: other
// users' homes, data, mounted disks, what services keep in /var. An agent
// needs none of it, secrets lie there, and so do sockets. These cannot be
// closed one by one: connect(2) asks neither a read-only mount nor the
// kernel's list, which lacks those that were renamed, bound by a relative name
// or by another network namespace, and those that come later (measured).
//
// Rows for what the lane is about reopen their part.
func HiddenRows(top []string) []Row {
	var rows []Row
	for _, name := range top {
		if !slices.Contains(shownTop, name) {
			rows = append(rows, Row{Path: "/" + name, Access: Hide, Reason: "not needed by programs; --read DIR shows a directory of it"})
		}
	}
	return rows
}

// VarRows are what programs need of /var. Drop those that do not exist.
func VarRows() []Row {
	return []Row{
		{Path: "/var/cache/fontconfig", Access: Read, Reason: "the index of fonts"},
		{Path: "/var/guix/profiles", Access: Read, Reason: "Guix: the programs that are installed"},
		{Path: "/var/lib/ca-certificates", Access: Read, Reason: "certificates of TLS (SUSE)"},
		{Path: "/var/lib/dpkg", Access: Read, Reason: "which packages are installed"},
		{Path: "/var/lib/gems", Access: Read, Reason: "Ruby's packages (Debian)"},
		{Path: "/var/lib/ghc", Access: Read, Reason: "Haskell's packages (Debian)"},
		{Path: "/var/lib/mecab", Access: Read, Reason: "dictionaries"},
		{Path: "/var/lib/pacman/local", Access: Read, Reason: "which packages are installed"},
		{Path: "/var/lib/php", Access: Read, Reason: "PHP's modules (Debian)"},
		{Path: "/var/lib/rpm", Access: Read, Reason: "which packages are installed"},
		{Path: "/var/lib/texmf", Access: Read, Reason: "TeX's formats"},
		{Path: "/var/opt", Access: Read, Reason: "what /opt is on ostree systems"},
		{Path: "/var/usrlocal", Access: Read, Reason: "what /usr/local is on ostree systems"},
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
