#include "ksim/apiserver/handlers/body_limit.h"

#include <fmt/format.h>

#include "ksim/value/text_size.h"

namespace ksim::apiserver {
namespace {

using value::Value;

// Without members and items.
inline std::int64_t OwnSize(const Value& v) {
  if (v.is_string()) return static_cast<std::int64_t>(v.AsString().size()) + 2;
  return v.is_object() || v.is_array() ? 2 : 4;
}

// Subtracts the size of the members and items of `v` from `*left`; stops below 0.
void TakeParts(const Value& v, std::int64_t* left) {
  for (const Value::Member& m : v.members()) {
    *left -= static_cast<std::int64_t>(m.name.text().size()) + 4 + OwnSize(m.value);  // "name":,
    if (*left < 0) return;
    if (!m.value.empty()) TakeParts(m.value, left);
  }
  for (const Value& item : v.items()) {
    *left -= 1 + OwnSize(item);
    if (*left < 0) return;
    if (!item.empty()) TakeParts(item, left);
  }
}

}  // namespace

api::Status CheckBodySize(const api::Request& request) {
  constexpr std::size_t kVersion = 64;  // more than "metadata":{"resourceVersion":"..."}, takes
  if (value::TextSizeBound(request.body) + kVersion <= std::size_t{kMaxBodyBytes})
    return api::Status();
  const Value body = request.WholeBody();
  std::int64_t left = kMaxBodyBytes - OwnSize(body);
  TakeParts(body, &left);
  if (left >= 0) return api::Status();
  return api::RequestEntityTooLarge(fmt::format("limit is {}", kMaxBodyBytes));
}

}  // namespace ksim::apiserver
