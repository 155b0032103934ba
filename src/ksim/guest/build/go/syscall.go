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

// Errors read as they do on Linux: client-go's IsProbableEOF looks for "connection reset by peer" in their text.
func init() {
	for errno, text := range map[Errno]string{
		E2BIG:           "argument list too long",
		EACCES:          "permission denied",
		EADDRINUSE:      "address already in use",
		EADDRNOTAVAIL:   "cannot assign requested address",
		EAFNOSUPPORT:    "address family not supported by protocol",
		EAGAIN:          "resource temporarily unavailable",
		EALREADY:        "operation already in progress",
		EBADF:           "bad file descriptor",
		EBADMSG:         "bad message",
		EBUSY:           "device or resource busy",
		ECANCELED:       "operation canceled",
		ECHILD:          "no child processes",
		ECONNABORTED:    "software caused connection abort",
		ECONNREFUSED:    "connection refused",
		ECONNRESET:      "connection reset by peer",
		EDEADLK:         "resource deadlock avoided",
		EDESTADDRREQ:    "destination address required",
		EDOM:            "numerical argument out of domain",
		EDQUOT:          "disk quota exceeded",
		EEXIST:          "file exists",
		EFAULT:          "bad address",
		EFBIG:           "file too large",
		EHOSTUNREACH:    "no route to host",
		EIDRM:           "identifier removed",
		EILSEQ:          "invalid or incomplete multibyte or wide character",
		EINPROGRESS:     "operation now in progress",
		EINTR:           "interrupted system call",
		EINVAL:          "invalid argument",
		EIO:             "input/output error",
		EISCONN:         "transport endpoint is already connected",
		EISDIR:          "is a directory",
		ELOOP:           "too many levels of symbolic links",
		EMFILE:          "too many open files",
		EMLINK:          "too many links",
		EMSGSIZE:        "message too long",
		EMULTIHOP:       "multihop attempted",
		ENAMETOOLONG:    "file name too long",
		ENETDOWN:        "network is down",
		ENETRESET:       "network dropped connection on reset",
		ENETUNREACH:     "network is unreachable",
		ENFILE:          "too many open files in system",
		ENOBUFS:         "no buffer space available",
		ENODEV:          "no such device",
		ENOENT:          "no such file or directory",
		ENOEXEC:         "exec format error",
		ENOLCK:          "no locks available",
		ENOLINK:         "link has been severed",
		ENOMEM:          "cannot allocate memory",
		ENOMSG:          "no message of desired type",
		ENOPROTOOPT:     "protocol not available",
		ENOSPC:          "no space left on device",
		ENOTCONN:        "transport endpoint is not connected",
		ENOTDIR:         "not a directory",
		ENOTEMPTY:       "directory not empty",
		ENOTRECOVERABLE: "state not recoverable",
		ENOTSOCK:        "socket operation on non-socket",
		ENOTSUP:         "operation not supported",
		ENOTTY:          "inappropriate ioctl for device",
		ENXIO:           "no such device or address",
		EOVERFLOW:       "value too large for defined data type",
		EOWNERDEAD:      "owner died",
		EPERM:           "operation not permitted",
		EPIPE:           "broken pipe",
		EPROTO:          "protocol error",
		EPROTONOSUPPORT: "protocol not supported",
		EPROTOTYPE:      "protocol wrong type for socket",
		ERANGE:          "numerical result out of range",
		EROFS:           "read-only file system",
		ESPIPE:          "illegal seek",
		ESRCH:           "no such process",
		ESTALE:          "stale file handle",
		ETIMEDOUT:       "connection timed out",
		ETXTBSY:         "text file busy",
		EXDEV:           "invalid cross-device link",
	} {
		errorstr[errno] = text
	}
}
