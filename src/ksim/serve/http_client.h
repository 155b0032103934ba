// HttpClient: one request to a served cluster, for `ksim ctl` and tests. It waits for the answer.
#pragma once
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ksim/serve/kubeconfig.h"

namespace ksim::serve {

struct HttpAnswer {
  HttpAnswer() = default;
  int code = 0;
  std::string body;
};

// `access.server`: http://HOST:PORT or https://. InvalidArgument for another kind of URL;
// Unavailable if nobody answers, or a server that is not the one that `access` speaks of.
absl::StatusOr<HttpAnswer> Ask(const Access& access, std::string_view method, std::string_view path,
                               std::string body);

}  // namespace ksim::serve
