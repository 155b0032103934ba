//go:build wasip1

package syscall

// Names of package syscall that Kubernetes' modules use and wasip1 lacks. None of them works.
const (
	SOL_SOCKET  = 1
	SO_LINGER   = 13
	LOCK_SH     = 1
	LOCK_EX     = 2
	LOCK_NB     = 4
	LOCK_UN     = 8
	F_OK        = 0
	EWOULDBLOCK = EAGAIN
	EHOSTDOWN   = EHOSTUNREACH
)

type Linger struct{ Onoff, Linger int32 }

type Statfs_t struct {
	Type                                int64
	Bsize                               int64
	Blocks, Bfree, Bavail, Files, Ffree uint64
	Namelen, Frsize, Flags              int64
}

func SetsockoptLinger(fd, level, opt int, l *Linger) error { return ENOSYS }
func Flock(fd, how int) error                              { return ENOSYS }
func Access(path string, mode uint32) error                { var s Stat_t; return Stat(path, &s) }
func Statfs(path string, buf *Statfs_t) error              { return ENOSYS }
func UnixRights(fds ...int) []byte                         { return nil }
