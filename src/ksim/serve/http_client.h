// HttpClient: one request to a served cluster, for `ksim ctl` and tests. It waits for the answer.
#pragma once
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace ksim::serve {

struct HttpAnswer {
  HttpAnswer() = default;
  int code = 0;
  std::string body;
};

// `server`: http://HOST:PORT. InvalidArgument for another kind of URL; Unavailable if nobody
// answers.
absl::StatusOr<HttpAnswer> Ask(std::string_view server, std::string_view method,
                               std::string_view path, std::string body);

}  // namespace ksim::serve
