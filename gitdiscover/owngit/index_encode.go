package owngit

import (
	"crypto"
	"encoding/binary"

	"github.com/go-git/go-git/v5/plumbing/hash"
)

// Owner is how files of the lane's user appear inside the lane, where a user
// namespace may give them other numbers.
type Owner struct {
	HostUID uint32 `json:"host_uid"`
	HostGID uint32 `json:"host_gid"`
	UID     uint32 `json:"uid"`
	GID     uint32 `json:"gid"`
}

// overflowID is what the kernel shows for an owner that the namespace does
// not map.
const overflowID = 65534

// reown rewrites the owners in an index file's entries as the lane will see
// them. Without it every entry looks changed to git in the lane: each status
// would read all files again, and files of git-lfs would be shown as modified.
func reown(data []byte, x *index, o Owner) []byte {
	out := append([]byte(nil), data...)
	as := func(at int, from, to uint32) {
		if binary.BigEndian.Uint32(out[at:]) != from {
			to = overflowID
		}
		binary.BigEndian.PutUint32(out[at:], to)
	}
	for i := range x.entries {
		as(x.entries[i].at+offUID, o.HostUID, o.UID)
		as(x.entries[i].at+offGID, o.HostGID, o.GID)
	}
	body := len(out) - hashSize
	copy(out[body:], sumOf(out[:body]))
	return out
}

func sumOf(b []byte) []byte {
	h := hash.New(crypto.SHA1)
	h.Write(b)
	return h.Sum(nil)
}
