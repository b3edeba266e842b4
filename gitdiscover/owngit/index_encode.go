package owngit

import (
	"crypto/sha1"
	"encoding/binary"
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

// encodeIndex writes an index file without extensions: each is a cache of what
// git can find out itself, and the agent's would be believed (a forged cached
// tree becomes the next commit's).
func encodeIndex(version uint32, entries []indexEntry) []byte {
	for i := range entries {
		if entries[i].ext != 0 && version == 2 {
			version = 3
		}
	}
	out := binary.BigEndian.AppendUint32([]byte("DIRC"), version)
	out = binary.BigEndian.AppendUint32(out, uint32(len(entries)))
	prev := ""
	for i := range entries {
		e := &entries[i]
		start := len(out)
		out = append(out, e.stat[:]...)
		out = append(out, e.hash[:]...)
		flags := e.flags&^(flagName|flagExtended) | uint16(min(len(e.name), flagName))
		if e.ext != 0 {
			flags |= flagExtended
		}
		out = binary.BigEndian.AppendUint16(out, flags)
		if e.ext != 0 {
			out = binary.BigEndian.AppendUint16(out, e.ext)
		}
		if version == 4 {
			common := 0
			for common < min(len(prev), len(e.name)) && prev[common] == e.name[common] {
				common++
			}
			out = appendOffsetVarint(out, uint64(len(prev)-common))
			out = append(append(out, e.name[common:]...), 0)
			prev = e.name
			continue
		}
		out = append(out, e.name...)
		out = append(out, make([]byte, 8-(len(out)-start)%8)...)
	}
	return append(out, sumOf(out)...)
}

// appendOffsetVarint is the other way round of [offsetVarint].
func appendOffsetVarint(out []byte, v uint64) []byte {
	var buf [10]byte
	i := len(buf) - 1
	buf[i] = byte(v & 0x7f)
	for v >>= 7; v > 0; v >>= 7 {
		v--
		i--
		buf[i] = byte(v&0x7f) | 0x80
	}
	return append(out, buf[i:]...)
}

func sumOf(b []byte) []byte {
	sum := sha1.Sum(b)
	return sum[:]
}
