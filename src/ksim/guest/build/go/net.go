//go:build wasip1

package net

import (
	"context"
	"errors"
	"internal/poll"
	"os"
	"syscall"
)

// simLocal finds the listener inside this program that a connection to its own machine reaches: net_fake.go knows only
// the very address that was listened at.
func simLocal(raddr Addr) (any, bool) {
	a, ok := raddr.(*TCPAddr)
	if !ok || !(a.IP.IsLoopback() || a.IP.IsUnspecified() || len(a.IP) == 0) {
		return nil, false
	}
	for _, ip := range []IP{IPv4(127, 0, 0, 1), IPv4zero, IPv6zero, IPv6loopback} {
		if l, ok := sockets.Load(fakeAddr(&TCPAddr{IP: ip, Port: a.Port})); ok {
			return l, true
		}
	}
	return nil, false
}

// simConnect makes fd, which fakeConnect has prepared, a connection that the host makes to fd.raddr.
func simConnect(ctx context.Context, fd *netFD) error {
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	raddr, ok := fd.raddr.(*TCPAddr)
	if !ok || fd.sotype != syscall.SOCK_STREAM {
		return refused
	}
	s, err := syscall.Open("/dev/sim/tcp/"+raddr.String(), syscall.O_RDWR, 0)
	if err != nil {
		if err == syscall.ENOENT {
			return refused
		}
		return os.NewSyscallError("connect", err)
	}
	pfd := poll.FD{Sysfd: s, IsStream: true, ZeroReadIsEOF: true}
	if err := syscall.SetNonblock(s, true); err != nil {
		syscall.Close(s)
		return os.NewSyscallError("connect", err)
	}
	fd.fakeNetFD.Close() // its port and its queue are not needed
	fd.fakeNetFD = nil
	fd.pfd = pfd
	if err := fd.init(); err != nil {
		syscall.Close(s)
		return err
	}
	if err := simConnected(ctx, fd); err != nil {
		return err
	}
	fd.isConnected = true
	fd.setAddr(fd.laddr, fd.raddr)
	return nil
}

// simConnected waits until the host has made the connection: a write of nothing fails with EAGAIN until then.
func simConnected(ctx context.Context, fd *netFD) error {
	err := simWriteNothing(fd)
	if err != syscall.EAGAIN {
		return os.NewSyscallError("connect", err)
	}
	stop := context.AfterFunc(ctx, func() { fd.pfd.SetWriteDeadline(aLongTimeAgo) })
	defer func() {
		if stop() {
			fd.pfd.SetWriteDeadline(noDeadline)
		}
	}()
	for {
		if werr := fd.pfd.WaitWrite(); werr != nil {
			if ctx.Err() != nil {
				return mapErr(ctx.Err())
			}
			return werr
		}
		if err = simWriteNothing(fd); err != syscall.EAGAIN {
			return os.NewSyscallError("connect", err)
		}
	}
}

func simWriteNothing(fd *netFD) error {
	var none [1]byte
	_, err := syscall.Write(fd.pfd.Sysfd, none[:0])
	return err
}

// A simListener brings connections that the host makes to a listener of this program.
type simListener struct {
	pfd poll.FD
}

func (l *simListener) close() { l.pfd.Close() }

// simListen tells the host of fd, a listener at laddr, unless it hears its own machine only. A host that takes no
// connections (ENOENT) is no error.
func simListen(fd *netFD, laddr sockaddr) error {
	a, ok := laddr.(*TCPAddr)
	if !ok || a == nil || fd.sotype != syscall.SOCK_STREAM || a.IP.IsLoopback() {
		return nil
	}
	_, port, _ := SplitHostPort(fd.laddr.String())
	s, err := syscall.Open("/dev/sim/listen/"+port, syscall.O_RDWR, 0)
	if err != nil {
		if errors.Is(err, syscall.ENOENT) {
			return nil
		}
		return err
	}
	l := &simListener{pfd: poll.FD{Sysfd: s, IsStream: true, ZeroReadIsEOF: true}}
	if err := syscall.SetNonblock(s, true); err != nil {
		syscall.Close(s)
		return err
	}
	if err := l.pfd.Init("tcp", true); err != nil {
		syscall.Close(s)
		return err
	}
	fd.sim = l
	go l.accept(fd, "/dev/sim/accept/"+port)
	return nil
}

// accept hands every connection that the host has to ln's queue, until ln is closed.
func (l *simListener) accept(ln *netFD, path string) {
	for {
		s := -1
		var fail error
		err := l.pfd.RawRead(func(uintptr) bool {
			s, fail = syscall.Open(path, syscall.O_RDWR, 0)
			return fail != syscall.EAGAIN
		})
		if err != nil {
			return
		}
		if fail != nil {
			continue // that connection is gone
		}
		syscall.SetNonblock(s, true)
		c := newFD("tcp", s)
		c.family, c.sotype, c.isConnected = ln.family, ln.sotype, true
		if err := c.init(); err != nil {
			syscall.Close(s)
			continue
		}
		c.setAddr(ln.laddr, &TCPAddr{IP: IPv4zero.To4()})
		var queue []*netFD
		var ok bool
		select {
		case ok = <-ln.incomingEmpty:
		case queue, ok = <-ln.incoming:
		}
		if !ok {
			c.Close()
			return
		}
		queue = append(queue, c)
		if len(queue) >= listenerBacklog() {
			ln.incomingFull <- queue
		} else {
			ln.incoming <- queue
		}
	}
}
