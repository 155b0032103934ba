#include "ksim/kubelet/volumes/volume_content.h"

#include <fmt/format.h>

namespace ksim::kubelet {

using value::Value;

std::string MissingKey(const ObjectReference& source, const api::Object& object) {
  if (source.optional) return "";
  const bool is_map = source.kind == ObjectKind::kConfigMap;
  const Value& tree = object.tree();
  for (const Value& item : source.items.items()) {
    const std::string_view key = item.Get("key").AsString();
    if (tree.Get("data").Has(key) || (is_map && tree.Get("binaryData").Has(key))) continue;
    return fmt::format("{}{}",
                       is_map ? "configmap references non-existent config key: "
                              : "references non-existent secret key: ",
                       key);
  }
  return "";
}

std::vector<std::string> MissingContainers(const ContentSource& source, const api::Object& pod) {
  const auto has = [&pod](std::string_view name) {
    for (const char* list : {"containers", "initContainers"})
      for (const Value& container : pod.spec().Get(list).items())
        if (container.Get("name").AsString() == name) return true;
    return false;
  };
  std::vector<std::string> problems;
  for (const std::string& name : source.containers)
    if (!has(name)) problems.push_back(fmt::format("container {} not found", name));
  return problems;
}

}  // namespace ksim::kubelet
