// Which verbs only read: of a request, and as a trace spells them.
#pragma once
#include <string_view>

#include "ksim/api/request.h"

namespace ksim::api {

inline bool IsRead(Verb verb) {
  return verb == Verb::kGet || verb == Verb::kList || verb == Verb::kWatch;
}
inline bool IsRead(std::string_view verb) {
  return verb == "get" || verb == "list" || verb == "watch";
}

}  // namespace ksim::api
