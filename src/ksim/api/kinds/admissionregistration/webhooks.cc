#include "ksim/api/kinds/admissionregistration/webhooks.h"

#include <string>
#include <vector>

#include "ksim/api/core/profile.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

std::vector<std::string> WebhookCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), std::to_string(o.tree().Get("webhooks").size()), cells::Age(o, now)};
}

std::vector<std::string> StaticNameWarnings(const value::Value& tree, Compat compat) {
  constexpr std::string_view kSuffix = ".static.k8s.io";
  const std::string_view name = tree.Get("metadata").Get("name").AsString();
  if (!ProfileOf(compat).warns_of_static_names || !name.ends_with(kSuffix)) return {};
  return {
      "metadata.name: names ending with \".static.k8s.io\" are reserved for static manifest-based "
      "configurations and cannot be managed via the API"};
}

}  // namespace ksim::api
