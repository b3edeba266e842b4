package attack

import (
	"errors"
	"net"
	"os"
	"sync"
)

// services are what listens on the host. Whoever comes is counted: a service
// that was reached is the judge of attacks on it.
type services struct {
	mu     sync.Mutex
	hits   map[string]int
	closed []func() error
}

func (s *services) hit(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hits[name]++
}

func (s *services) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.hits)
}

func (s *services) close() {
	for _, c := range s.closed {
		_ = c() // closed twice is fine
	}
}

// listen serves streams at an address and returns how to end it.
func (s *services) listen(network, address, name string) (net.Listener, error) {
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	if network == "unix" && address[0] == '/' {
		// What keeps an attack out must be the launcher, not a mode.
		if err := os.Chmod(address, 0o777); err != nil {
			l.Close()
			return nil, err
		}
	}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.hit(name)
			_, _ = c.Write([]byte("hello\n")) // the visitor may have left
			c.Close()
		}
	}()
	s.closed = append(s.closed, l.Close)
	return l, nil
}

// take serves packets.
func (s *services) take(network, address, name string) (net.PacketConn, error) {
	p, err := net.ListenPacket(network, address)
	if err != nil {
		return nil, err
	}
	if network == "unixgram" {
		if err := os.Chmod(address, 0o777); err != nil {
			p.Close()
			return nil, err
		}
	}
	go func() {
		b := make([]byte, 64)
		for {
			if _, _, err := p.ReadFrom(b); err != nil {
				return
			}
			s.hit(name)
		}
	}()
	s.closed = append(s.closed, p.Close)
	return p, nil
}

// serve starts the services that every attack finds.
func (f *Fixture) serve() error {
	f.services = &services{hits: map[string]int{}}
	f.undoAll = append(f.undoAll, f.services.close)
	var all error
	for name, path := range map[string]string{"docker": f.Docker, "agent": f.Agent, "bus": f.Bus, "service": f.Service} {
		_, err := f.services.listen("unix", path, name)
		all = errors.Join(all, err)
	}
	_, err := f.services.take("unixgram", f.Datagram, "datagram")
	all = errors.Join(all, err)
	if system.abstractSockets {
		_, err := f.services.listen("unix", f.Abstract, "abstract")
		all = errors.Join(all, err)
	}
	if tcp, err := f.services.listen("tcp", "127.0.0.1:0", "tcp"); err != nil {
		all = errors.Join(all, err)
	} else {
		f.TCP = tcp.Addr().(*net.TCPAddr).Port
	}
	if udp, err := f.services.take("udp", "127.0.0.1:0", "udp"); err != nil {
		all = errors.Join(all, err)
	} else {
		f.UDP = udp.LocalAddr().(*net.UDPAddr).Port
	}
	return all
}
