// Shorthands for tests of the API layer: trees from YAML, kinds by name.
#pragma once
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/base/time.h"
#include "ksim/value/json.h"
#include "ksim/value/value.h"
#include "ksim/value/yaml.h"

namespace ksim::api {

inline constexpr Compat kAllCompats[] = {Compat::k1_25, Compat::k1_30, Compat::k1_36};

// A time since the start of the run.
inline VirtualTime At(std::int64_t seconds) { return VirtualTime() + Seconds(seconds); }

inline value::Value Yaml(std::string_view text) {
  const value::YamlFile file = value::ParseYaml(text, "test.yaml");
  EXPECT_TRUE(file.errors.empty()) << text;
  return file.documents.empty() ? value::Value() : file.documents[0].ToValue();
}

inline value::Value At(const value::Value& tree, std::string_view path) {
  return tree.Get(*value::Path::Parse(path));
}

// The value at the path as JSON; "null" if it is absent.
inline std::string JsonAt(const value::Value& tree, std::string_view path) {
  return value::ToJson(At(tree, path));
}

inline const ResourceInfo& KindOf(std::string_view name) {
  static const Kinds kinds;
  const ResourceInfo* kind = kinds.ByName(name);
  EXPECT_NE(kind, nullptr) << name;
  return *kind;
}

// The objects of the walk-through, as a user writes them.
inline constexpr std::string_view kReplicaSetYaml = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: my-replicaset, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: my-app}}
  template:
    metadata: {labels: {app: my-app}}
    spec:
      containers:
      - name: my-container
        image: nginx
        ports: [{containerPort: 80}]
)";

inline constexpr std::string_view kPodYaml = R"(
apiVersion: v1
kind: Pod
metadata: {name: my-pod, namespace: default, labels: {app: my-app}}
spec:
  containers:
  - name: my-container
    image: nginx
    ports: [{containerPort: 80}]
)";

}  // namespace ksim::api

namespace ksim::value {
inline void PrintTo(const Value& v, std::ostream* os) { *os << ToJson(v); }
}  // namespace ksim::value
