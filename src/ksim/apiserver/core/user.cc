#include "ksim/apiserver/core/user.h"

#include <algorithm>

namespace ksim::apiserver {

std::optional<std::string_view> NodeIdentity(const User& user) {
  constexpr std::string_view kNode = "system:node:";
  const std::string_view name = user.name;
  if (!name.starts_with(kNode)) return std::nullopt;
  const bool in_group =
      std::find(user.groups.begin(), user.groups.end(), "system:nodes") != user.groups.end();
  return in_group ? std::optional(name.substr(kNode.size())) : std::nullopt;
}

}  // namespace ksim::apiserver
