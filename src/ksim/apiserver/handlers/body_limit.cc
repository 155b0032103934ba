#include "ksim/apiserver/handlers/body_limit.h"

#include <fmt/format.h>

namespace ksim::apiserver {
namespace {

using value::Value;

// Takes the size of `v` from what is left; stops when nothing is.
void Take(const Value& v, std::int64_t* left) {
  if (v.is_string()) {
    *left -= static_cast<std::int64_t>(v.AsString().size()) + 2;
  } else if (v.is_object() || v.is_array()) {
    *left -= 2;
  } else {
    *left -= 4;
  }
  for (const Value::Member& m : v.members()) {
    if (*left < 0) return;
    *left -= static_cast<std::int64_t>(m.name.text().size()) + 4;  // "name":,
    Take(m.value, left);
  }
  for (const Value& item : v.items()) {
    if (*left < 0) return;
    *left -= 1;
    Take(item, left);
  }
}

}  // namespace

api::Status CheckBodySize(const Value& body) {
  std::int64_t left = kMaxBodyBytes;
  Take(body, &left);
  if (left >= 0) return api::Status();
  return api::RequestEntityTooLarge(fmt::format("limit is {}", kMaxBodyBytes));
}

}  // namespace ksim::apiserver
