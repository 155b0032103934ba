#include "ksim/kubectl/printing/object_name.h"

#include <fmt/format.h>

namespace ksim::kubectl {

std::string SlashedName(const api::ResourceInfo& info, std::string_view name) {
  if (info.group.empty()) return fmt::format("{}/{}", info.singular, name);
  return fmt::format("{}.{}/{}", info.singular, info.group, name);
}

}  // namespace ksim::kubectl
