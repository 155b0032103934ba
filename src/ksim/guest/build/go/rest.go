//go:build wasip1

package rest

import "os"

// simScheme is how a pod reaches the API server by its service: plain HTTP where the service has no
// port for HTTPS, which the services of other clusters have.
func simScheme() string {
	if os.Getenv("KUBERNETES_SERVICE_PORT_HTTPS") == "" {
		return "http://"
	}
	return "https://"
}
