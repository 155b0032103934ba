#include "ksim/api/strategy/defaulting.h"

#include "ksim/api/core/kind_spec.h"

namespace ksim::api {

value::Value ApplyDefaults(const ResourceInfo& kind, const value::Value& tree, Compat compat) {
  const auto defaults = SpecOf(kind).defaults;
  return defaults == nullptr ? tree : defaults(tree, compat);
}

}  // namespace ksim::api
