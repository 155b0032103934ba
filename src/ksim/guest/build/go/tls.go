//go:build wasip1

package tls

import "net"

// simPlain tells whether the host has made c, which a listener has accepted: it speaks plainly. A client of this very
// program speaks TLS.
func simPlain(c net.Conn) bool {
	a, ok := c.RemoteAddr().(*net.TCPAddr)
	return ok && a != nil && a.Port == 0 && a.IP.IsUnspecified()
}
