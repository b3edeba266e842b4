package confine

import "syscall"

func init() {
	intoGroup = func(attr *syscall.SysProcAttr, fd int) { attr.UseCgroupFD, attr.CgroupFD = true, fd }
}
