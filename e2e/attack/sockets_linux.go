package attack

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Services of the host. A read-only mount does not keep anybody from
// connecting to a socket in it.

func init() { lazily(addSockets) }

func addSockets() {
	const claim = "no service of the host can be reached"
	register(
		Attack{ID: "unix-docker", Claim: claim, What: "connect to docker.sock", Try: func(l Layout) error { return dial("unix", l.Docker) }, Judge: visited("docker")},
		Attack{ID: "unix-agent", Claim: claim, What: "connect to the ssh agent", Try: func(l Layout) error { return dial("unix", l.Agent) }, Judge: visited("agent")},
		Attack{ID: "unix-bus", Claim: claim, What: "connect to the user's message bus", Try: func(l Layout) error { return dial("unix", l.Bus) }, Judge: visited("bus")},
		Attack{ID: "unix-abstract", Claim: claim, What: "connect to an abstract socket", Try: func(l Layout) error { return dial("unix", l.Abstract) }, Judge: visited("abstract")},
		Attack{ID: "unix-service", Claim: claim, What: "connect to a socket that lies in no directory of sockets", Try: func(l Layout) error { return dial("unix", l.Service) }, Judge: visited("service")},
		Attack{ID: "unix-datagram", Claim: claim, What: "send to a datagram socket", Try: func(l Layout) error { return dial("unixgram", l.Datagram) }, Judge: func(f *Fixture) Finding {
			time.Sleep(50 * time.Millisecond) // it is counted when it is read
			return visited("datagram")(f)
		}},
		Attack{ID: "unix-worktree", Claim: claim, What: "connect to a socket in the worktree itself",
			Setup: func(f *Fixture) error { return f.listenAt(filepath.Join(f.Worktree, "dev.sock"), "worktree") },
			Try:   func(l Layout) error { return dial("unix", "dev.sock") }, Judge: visited("worktree")},
		Attack{ID: "unix-worktree-renamed", Claim: claim, What: "connect to a socket in the worktree itself that was renamed after it was bound",
			Setup: func(f *Fixture) error {
				return errors.Join(f.listenAt(filepath.Join(f.Worktree, "new.sock"), "worktree"), os.Rename(f.Worktree+"/new.sock", f.Worktree+"/dev.sock"))
			},
			Try: func(l Layout) error { return dial("unix", "dev.sock") }, Judge: visited("worktree")},
		Attack{ID: "unix-home", Claim: claim, What: "connect to a socket in the home directory",
			Setup: func(f *Fixture) error { return f.listenAt(filepath.Join(f.Home, ".config", "s"), "home") },
			Try:   func(l Layout) error { return dial("unix", filepath.Join(l.Home, ".config", "s")) }, Judge: visited("home")},
		Attack{ID: "unix-late", Claim: claim, What: "connect to a socket that listens only after the launch", Beside: func(f *Fixture, stop <-chan struct{}) {
			if f.awaitReady(stop) {
				_ = f.listenAt(f.Late, "late") // the inside waits for it
			}
		}, Try: func(l Layout) error {
			err := l.ready()
			await(5*time.Second, func() bool { return exists(l.Late) })
			time.Sleep(100 * time.Millisecond) // it listens, and may be reached by all
			return errors.Join(err, dial("unix", l.Late))
		}, Judge: visited("late")},
		Attack{ID: "unix-restarted", Claim: claim, What: "connect to a service that is started anew while the lane runs",
			Setup: func(f *Fixture) error { return f.listenAt(f.Late, "old") },
			Beside: func(f *Fixture, stop <-chan struct{}) {
				if f.awaitReady(stop) {
					os.Remove(f.Late)
					if f.listenAt(f.Late, "late") == nil {
						_ = os.WriteFile(filepath.Join(f.Worktree, "again"), nil, 0o644) // the inside waits for it
					}
				}
			}, Try: func(l Layout) error {
				err := l.ready()
				await(5*time.Second, func() bool { return exists("again") })
				return errors.Join(err, dial("unix", l.Late))
			}, Judge: visited("late")},
		Attack{ID: "unix-renamed", Claim: claim, What: "connect to a socket that was renamed after it was bound, so that the kernel lists another name",
			Setup: func(f *Fixture) error {
				return errors.Join(f.listenAt(f.Late+".tmp", "late"), os.Rename(f.Late+".tmp", f.Late))
			},
			Try: func(l Layout) error { return dial("unix", l.Late) }, Judge: visited("late")},
		Attack{ID: "unix-oddname", Claim: claim, What: "connect to a socket that was bound by a relative name", Setup: bindOddly,
			Try: func(l Layout) error { return dial("unix", l.Late) }, Judge: visited("late")},
		Attack{ID: "unix-netns", Claim: claim, What: "connect to a socket of a process in another network namespace, which the kernel does not list",
			Setup: serveElsewhere, Try: func(l Layout) error { return dial("unix", l.Late) },
			Judge: func(f *Fixture) Finding {
				mark := filepath.Join(f.out, elsewhereMark)
				// The service tells by a file, in its own time.
				await(300*time.Millisecond, func() bool { return exists(mark) })
				return found(exists(mark), "reached the service of another network namespace")
			}},
		Attack{ID: "tcp-loopback", Claim: claim, What: "connect to a service on 127.0.0.1", Try: func(l Layout) error {
			return dial("tcp", "127.0.0.1:"+strconv.Itoa(l.TCP))
		}, Judge: visited("tcp")},
		Attack{ID: "udp-out", Claim: claim, What: "send a UDP packet to 127.0.0.1", Try: func(l Layout) error {
			return dial("udp", "127.0.0.1:"+strconv.Itoa(l.UDP))
		}, Judge: func(f *Fixture) Finding {
			time.Sleep(50 * time.Millisecond) // it is counted when it is read
			return visited("udp")(f)
		}},
		Attack{ID: "vsock", Claim: claim, What: "open a socket to the hypervisor", Try: func(Layout) error {
			fd, err := syscall.Socket(40 /* AF_VSOCK */, syscall.SOCK_STREAM, 0)
			if err == nil {
				syscall.Close(fd)
			}
			return err
		}, Inside: "what would answer is not this host"},
	)
}

// dial connects and, on a stream, waits for the greeting.
func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	if network == "udp" || network == "unixgram" {
		_, err := c.Write([]byte("hello\n"))
		return err
	}
	if err := c.SetReadDeadline(time.Now().Add(2 * time.Second)); err != nil {
		return err
	}
	if n, err := c.Read(make([]byte, 8)); n == 0 {
		return fmt.Errorf("no answer: %w", err)
	}
	return nil
}

// listenAt serves a stream for this attack only.
func (f *Fixture) listenAt(path, name string) error {
	l, err := f.services.listen("unix", path, name)
	if err != nil {
		return err
	}
	f.later(func() {
		l.Close()
		os.Remove(f.Late)
	})
	return nil
}

// bindOddly binds by way of a descriptor, as after a chdir: the kernel keeps
// the name as it was given.
func bindOddly(f *Fixture) error {
	dir, err := os.Open(filepath.Dir(f.Late))
	if err != nil {
		return err
	}
	defer dir.Close()
	return f.listenAt(fmt.Sprintf("/proc/self/fd/%d/%s", dir.Fd(), filepath.Base(f.Late)), "late")
}

const elsewhereMark = "elsewhere"

// serveElsewhere serves from a network namespace of its own.
func serveElsewhere(f *Fixture) error {
	c := f.again("+serve")
	c.Env = f.environ()
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: f.UID, HostID: f.UID, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}}
	in, err := c.StdinPipe() // its life, as the victim's
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	f.later(func() {
		in.Close()
		_ = c.Wait() // it was told to end
		os.Remove(f.Late)
	})
	mark := filepath.Join(f.out, elsewhereMark)
	if !await(5*time.Second, func() bool {
		return dial("unix", f.Late) == nil && await(time.Second, func() bool { return exists(mark) })
	}) {
		return errors.New("no service in another network namespace")
	}
	return os.Remove(mark)
}

func init() { lazily(addSockets1) }

func addSockets1() {
	modes["+serve"] = func(l Layout) error {
		s := &services{hits: map[string]int{}}
		if _, err := s.listen("unix", l.Late, elsewhereMark); err != nil {
			return err
		}
		gone := make(chan struct{})
		go func() {
			_, _ = os.Stdin.Read(make([]byte, 1)) // ends with its starter
			close(gone)
		}()
		for {
			select {
			case <-gone:
				return nil
			case <-time.After(10 * time.Millisecond):
				if s.reached(elsewhereMark) {
					if err := os.WriteFile(filepath.Join(filepath.Dir(l.Canary), elsewhereMark), nil, 0o644); err != nil {
						return err
					}
					s.forget()
				}
			}
		}
	}
}
