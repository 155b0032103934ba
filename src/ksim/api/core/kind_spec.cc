#include "ksim/api/core/kind_spec.h"

namespace ksim::api {

const KindSpec& SpecOf(const ResourceInfo& kind) {
  if (kind.custom) return kGenericKind;
  const std::span<const KindSpec* const> specs = KindSpecs();
  if (kind.builtin_number < specs.size()) return *specs[kind.builtin_number];
  for (const KindSpec* const spec : specs) {
    if (spec->kind == kind.kind && spec->group == kind.group && spec->version == kind.version)
      return *spec;
  }
  return kGenericKind;
}

}  // namespace ksim::api
