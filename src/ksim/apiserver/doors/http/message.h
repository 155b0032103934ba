// HttpRequest and HttpResponse: one HTTP message each, whole, without the version of HTTP that
// carries it. Connections make requests and take responses; what lies behind knows no bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/apiserver/doors/http/text.h"

namespace ksim::apiserver::http {

// The fields of a message in the order in which they came. Names are compared without case.
class Headers {
 public:
  struct Field {
    std::string name;
    std::string value;
  };

  // Adds a field, though one of its name is there.
  void Add(std::string_view name, std::string_view value) {
    fields_.push_back({std::string(name), std::string(value)});
  }
  // Puts the field in place of all others of its name.
  void Set(std::string_view name, std::string_view value) {
    std::erase_if(fields_, [&](const Field& f) { return EqualsIgnoreCase(f.name, name); });
    Add(name, value);
  }
  void Remove(std::string_view name) {
    std::erase_if(fields_, [&](const Field& f) { return EqualsIgnoreCase(f.name, name); });
  }
  bool Has(std::string_view name) const {
    return std::any_of(fields_.begin(), fields_.end(),
                       [&](const Field& f) { return EqualsIgnoreCase(f.name, name); });
  }
  // The value of the first field of the name, as Go's Header.Get; "" without one.
  std::string_view Get(std::string_view name) const {
    for (const Field& f : fields_) {
      if (EqualsIgnoreCase(f.name, name)) return f.value;
    }
    return {};
  }
  const std::vector<Field>& fields() const { return fields_; }

 private:
  std::vector<Field> fields_;
};

struct HttpRequest {
  std::string method;  // GET, as sent
  std::string target;  // /api/v1/pods?limit=500, as sent
  Headers headers;     // with the host, as `Host`
  std::string body;    // without its transfer coding; content codings are still there
  // The body is longer than the connection's bound: `body` has its beginning, the rest is dropped.
  bool body_too_large = false;
};

// The head of a response, and its body where it has one that is there at once.
struct HttpResponse {
  int code = 200;
  Headers
      headers;  // without Content-Length, Transfer-Encoding, Connection: the connection's affair
  std::string body;
};

}  // namespace ksim::apiserver::http
