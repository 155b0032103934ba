#include "ksim/apiserver/core/subresource_kind.h"

namespace ksim::apiserver {

const api::ResourceInfo& SubresourceInfo(std::string_view kind) {
  static const auto make = [](const char* group, const char* name) {
    api::ResourceInfo info;
    info.group = group;
    info.version = "v1";
    info.kind = name;
    return info;
  };
  static const api::ResourceInfo scale = make("autoscaling", "Scale");
  static const api::ResourceInfo binding = make("", "Binding");
  static const api::ResourceInfo eviction = make("policy", "Eviction");
  if (kind == "Scale") return scale;
  return kind == "Binding" ? binding : eviction;
}

const api::ResourceInfo& KindAt(const api::ResourceInfo& r, std::string_view subresource) {
  if (subresource == "scale") return SubresourceInfo("Scale");
  if (subresource == "binding") return SubresourceInfo("Binding");
  return subresource == "eviction" ? SubresourceInfo("Eviction") : r;
}

}  // namespace ksim::apiserver
