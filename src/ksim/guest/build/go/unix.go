//go:build wasip1

// Package unix has the names of golang.org/x/sys/unix that Kubernetes' modules use, for wasip1, where
// the package is empty. None of them works.
package unix

import "syscall"

const (
	SO_REUSEADDR = 2
	SO_REUSEPORT = 15
	TCGETS       = 0x5401
	TCSETS       = 0x5402
	TIOCGWINSZ   = 0x5413
	TIOCSWINSZ   = 0x5414
	IGNBRK       = 1
	BRKINT       = 2
	PARMRK       = 8
	ISTRIP       = 0x20
	INLCR        = 0x40
	IGNCR        = 0x80
	ICRNL        = 0x100
	IXON         = 0x400
	OPOST        = 1
	ECHO         = 8
	ECHONL       = 0x40
	ICANON       = 2
	ISIG         = 1
	IEXTEN       = 0x8000
	CSIZE        = 0x30
	PARENB       = 0x100
	CS8          = 0x30
	VMIN         = 6
	VTIME        = 5
	ENOSYS       = syscall.ENOSYS
	O_NOFOLLOW   = 0
)

type Termios struct {
	Iflag, Oflag, Cflag, Lflag uint32
	Line                       uint8
	Cc                         [19]uint8
	Ispeed, Ospeed             uint32
}

type Winsize struct{ Row, Col, Xpixel, Ypixel uint16 }

type Utsname struct{ Sysname, Nodename, Release, Version, Machine, Domainname [65]byte }

func IoctlGetTermios(fd int, req uint) (*Termios, error)     { return nil, syscall.ENOTSUP }
func IoctlSetTermios(fd int, req uint, value *Termios) error { return syscall.ENOTSUP }
func IoctlGetWinsize(fd int, req uint) (*Winsize, error)     { return nil, syscall.ENOTSUP }
func IoctlSetWinsize(fd int, req uint, value *Winsize) error { return syscall.ENOTSUP }
func Uname(u *Utsname) error                                 { copy(u.Release[:], "6.1.0"); return nil }

func ByteSliceToString(s []byte) string {
	for i, c := range s {
		if c == 0 {
			return string(s[:i])
		}
	}
	return string(s)
}
