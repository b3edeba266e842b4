package runner

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo, st *syscall.Stat_t) Stamp {
	return Stamp{Ino: st.Ino, Size: info.Size(), CTime: st.Ctimespec.Nano(), Mode: uint32(info.Mode())}
}
