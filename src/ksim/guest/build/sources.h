// The Go sources that ksim adds to a guest, and its edits of Go's own files; from go/.
#pragma once
#include <string_view>

namespace ksim::guest {

extern const std::string_view kStdEdits;           // go/std.edits; edits.h reads them
extern const std::string_view kRuntimeGo;          // added to package runtime
extern const std::string_view kNetGo;              // ... net
extern const std::string_view kTlsGo;              // ... crypto/tls
extern const std::string_view kSyscallGo;          // ... syscall
extern const std::string_view kUnixGo;             // ... golang.org/x/sys/unix
extern const std::string_view kRestGo;             // ... k8s.io/client-go/rest
extern const std::string_view kSecurityContextGo;  // ... k8s.io/kubernetes/pkg/securitycontext

}  // namespace ksim::guest
