//go:build wasip1

// Package unix has, for wasip1, where the package is empty, those names of golang.org/x/sys/unix that
// controllers and their libraries use. Files are package syscall's; all else fails with ENOSYS.
package unix

import "syscall"

const (
	SOL_SOCKET   = 1
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

	LOCK_SH = 1
	LOCK_EX = 2
	LOCK_NB = 4
	LOCK_UN = 8

	PROT_NONE     = 0
	PROT_READ     = 1
	PROT_WRITE    = 2
	PROT_EXEC     = 4
	MAP_SHARED    = 1
	MAP_PRIVATE   = 2
	MAP_ANON      = 0x20
	MAP_ANONYMOUS = 0x20
	MADV_NORMAL   = 0
	MADV_RANDOM   = 1
	MADV_WILLNEED = 3
	MADV_DONTNEED = 4
	MS_ASYNC      = 1
	MS_SYNC       = 4

	F_OK = 0
	R_OK = 4
	W_OK = 2
	X_OK = 1

	O_RDONLY    = syscall.O_RDONLY
	O_WRONLY    = syscall.O_WRONLY
	O_RDWR      = syscall.O_RDWR
	O_CREAT     = syscall.O_CREAT
	O_EXCL      = syscall.O_EXCL
	O_TRUNC     = syscall.O_TRUNC
	O_APPEND    = syscall.O_APPEND
	O_SYNC      = syscall.O_SYNC
	O_CLOEXEC   = syscall.O_CLOEXEC
	O_DIRECTORY = 0
	O_NOFOLLOW  = 0
	O_NONBLOCK  = 0

	S_IFMT  = syscall.S_IFMT
	S_IFDIR = syscall.S_IFDIR
	S_IFREG = syscall.S_IFREG
	S_IFLNK = syscall.S_IFLNK

	RLIMIT_NOFILE   = syscall.RLIMIT_NOFILE
	CLOCK_REALTIME  = 0
	CLOCK_MONOTONIC = 1

	E2BIG        = syscall.E2BIG
	EACCES       = syscall.EACCES
	EADDRINUSE   = syscall.EADDRINUSE
	EAGAIN       = syscall.EAGAIN
	EBADF        = syscall.EBADF
	EBUSY        = syscall.EBUSY
	ECONNREFUSED = syscall.ECONNREFUSED
	ECONNRESET   = syscall.ECONNRESET
	EEXIST       = syscall.EEXIST
	EINTR        = syscall.EINTR
	EINVAL       = syscall.EINVAL
	EIO          = syscall.EIO
	EISDIR       = syscall.EISDIR
	EMFILE       = syscall.EMFILE
	ENODEV       = syscall.ENODEV
	ENOENT       = syscall.ENOENT
	ENOMEM       = syscall.ENOMEM
	ENOSPC       = syscall.ENOSPC
	ENOSYS       = syscall.ENOSYS
	ENOTDIR      = syscall.ENOTDIR
	ENOTEMPTY    = syscall.ENOTEMPTY
	ENOTSUP      = syscall.ENOTSUP
	EOPNOTSUPP   = syscall.EOPNOTSUPP
	EPERM        = syscall.EPERM
	EPIPE        = syscall.EPIPE
	ESRCH        = syscall.ESRCH
	ETIMEDOUT    = syscall.ETIMEDOUT
	EWOULDBLOCK  = syscall.EAGAIN
	EXDEV        = syscall.EXDEV

	SIGHUP  = syscall.SIGHUP
	SIGINT  = syscall.SIGINT
	SIGQUIT = syscall.SIGQUIT
	SIGKILL = syscall.SIGKILL
	SIGUSR1 = syscall.SIGUSR1
	SIGUSR2 = syscall.SIGUSR2
	SIGPIPE = syscall.SIGPIPE
	SIGTERM = syscall.SIGTERM
)

type (
	Errno    = syscall.Errno
	Signal   = syscall.Signal
	Stat_t   = syscall.Stat_t
	Statfs_t = syscall.Statfs_t
	Timespec = syscall.Timespec
	Timeval  = syscall.Timeval
	Rlimit   = syscall.Rlimit
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

func Open(path string, mode int, perm uint32) (int, error) { return syscall.Open(path, mode, perm) }
func Close(fd int) error                                   { return syscall.Close(fd) }
func Read(fd int, p []byte) (int, error)                   { return syscall.Read(fd, p) }
func Write(fd int, p []byte) (int, error)                  { return syscall.Write(fd, p) }
func Stat(path string, s *Stat_t) error                    { return syscall.Stat(path, s) }
func Lstat(path string, s *Stat_t) error                   { return syscall.Lstat(path, s) }
func Fstat(fd int, s *Stat_t) error                        { return syscall.Fstat(fd, s) }
func Fsync(fd int) error                                   { return syscall.Fsync(fd) }
func Fdatasync(fd int) error                               { return syscall.Fsync(fd) }
func Mkdir(path string, mode uint32) error                 { return syscall.Mkdir(path, mode) }
func Unlink(path string) error                             { return syscall.Unlink(path) }
func Rename(from, to string) error                         { return syscall.Rename(from, to) }
func Access(path string, mode uint32) error                { return syscall.Access(path, mode) }
func Statfs(path string, s *Statfs_t) error                { return syscall.Statfs(path, s) }
func Flock(fd, how int) error                              { return syscall.Flock(fd, how) }

func Mmap(fd int, offset int64, length, prot, flags int) ([]byte, error) {
	return nil, syscall.ENOSYS
}
func Munmap(b []byte) error                              { return syscall.ENOSYS }
func Madvise(b []byte, advice int) error                 { return syscall.ENOSYS }
func Mlock(b []byte) error                               { return syscall.ENOSYS }
func Msync(b []byte, flags int) error                    { return syscall.ENOSYS }
func Kill(pid int, s Signal) error                       { return syscall.ENOSYS }
func Getrlimit(which int, limit *Rlimit) error           { return syscall.ENOSYS }
func Setrlimit(which int, limit *Rlimit) error           { return syscall.ENOSYS }
func SetsockoptInt(fd, level, option, value int) error   { return syscall.ENOSYS }
func FcntlInt(fd uintptr, command, arg int) (int, error) { return -1, syscall.ENOSYS }

func Getpagesize() int { return syscall.Getpagesize() }
func Getpid() int      { return syscall.Getpid() }
func Getuid() int      { return syscall.Getuid() }
func Geteuid() int     { return syscall.Geteuid() }
func Getgid() int      { return syscall.Getgid() }

func ByteSliceToString(s []byte) string {
	for i, c := range s {
		if c == 0 {
			return string(s[:i])
		}
	}
	return string(s)
}
