#include "ksim/api/core/builtin_kinds.h"

#include <string>

#include "ksim/api/core/kind_spec.h"

namespace ksim::api {

namespace {

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

ResourceInfo ToInfo(const KindSpec& spec) {
  ResourceInfo info;
  info.group = spec.group;
  info.version = spec.version;
  info.kind = spec.kind;
  info.resource = spec.resource;
  info.singular = LowerCase(spec.kind);
  for (const std::string_view name : spec.short_names) {
    if (!name.empty()) info.short_names.emplace_back(name);
  }
  if (!spec.category.empty()) info.categories.emplace_back(spec.category);
  info.namespaced = spec.namespaced;
  info.has_status = spec.has_status;
  info.has_scale = spec.has_scale;
  info.has_generation = spec.has_generation;
  info.generation_on_annotations = spec.generation_on_annotations;
  info.graceful_delete = spec.graceful_delete;
  info.create_on_update = spec.create_on_update;
  info.unconditional_update = spec.unconditional_update;
  info.watch_cached = spec.watch_cached;
  info.storage_prefix = spec.storage_prefix.empty() ? spec.resource : spec.storage_prefix;
  return info;
}

}  // namespace

std::vector<ResourceInfo> BuiltinKinds() {
  std::vector<ResourceInfo> kinds;
  for (const KindSpec* const spec : KindSpecs()) kinds.push_back(ToInfo(*spec));
  return kinds;
}

}  // namespace ksim::api
