//go:build wasip1

package securitycontext

func possibleCPUs() []int { return nil }
