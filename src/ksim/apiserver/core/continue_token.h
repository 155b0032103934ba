// ContinueToken: the token by which a paged list is continued: base64url without padding of
// {"v":"meta.k8s.io/v1","rv":REVISION,"start":"KEY SUFFIX"}.
//
// Source: apiserver pkg/storage/continue.go.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/api/status.h"

namespace ksim::apiserver {

struct ContinueToken {
  ContinueToken() = default;
  ContinueToken(std::int64_t r, std::string s) : revision(r), start(std::move(s)) {}
  std::int64_t revision = 0;  // -1: continue at the newest revision
  std::string start;  // the first key of the next page, relative to the listed prefix: "name\0",
                      // "ns/name\0"
};

std::string EncodeContinue(const ContinueToken& token);
// 400 for anything that EncodeContinue does not make, and for a start that leaves the prefix.
api::Result<ContinueToken> DecodeContinue(std::string_view token);

// 410 for an expired token, with a new one for the same key at the newest revision
// (etcd3/errors.go handleCompactedErrorForPaging).
api::Status ExpiredContinue(const ContinueToken& token);

}  // namespace ksim::apiserver
