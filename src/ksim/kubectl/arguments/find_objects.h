// The objects that the arguments of a kubectl command name: TYPE[,TYPE] [NAME...], TYPE/NAME...,
// a namespace and selectors.
//
// Source: cli-runtime pkg/resource/{builder,selector,visitor,helper}.go.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/kubectl/cluster_view.h"

namespace ksim::kubectl {

struct ObjectArguments {
  std::vector<std::string> words;  // pods | rs,pods | pods/x | pods x y
  std::string ns = "default";
  bool all_namespaces = false;
  std::string selector, field_selector;

  bool has_selector() const { return !selector.empty() || !field_selector.empty(); }
  // The words, `rs,pods x` as `rs/x pods/x`.
  std::vector<std::string> Normalized() const;
  // One object is asked for by its name (resource.Result's singleItemImplied).
  bool names_one() const;
};

// The objects found of one resource; a resource that was asked for by type has a group even if
// there are none.
struct ObjectGroup {
  const api::ResourceInfo* info = nullptr;
  std::vector<api::Object> objects;
};

struct FoundObjects {
  std::vector<ObjectGroup> groups;     // objects asked for by name in that order
  std::vector<std::string> not_found;  // a line for each name that nothing has
};

// The objects of the cluster that the arguments name. `on_resource` hears of each resource before
// it is searched by type (but not of those of `all`), and of each that lacks a name.
// InvalidArgument with the lines that kubectl prints when the arguments make no sense.
absl::StatusOr<FoundObjects> FindObjects(
    const ClusterView& cluster, const api::Kinds& kinds, api::Compat compat,
    const ObjectArguments& arguments,
    const std::function<void(const api::ResourceInfo&)>& on_resource);

// The resource of a word such as `pods`, `po`, `deployments.apps` or `deployments.v1.apps`.
// InvalidArgument with the line that kubectl prints, and a word that is near, if there is none.
absl::StatusOr<const api::ResourceInfo*> ResourceOfWord(const api::Kinds& kinds,
                                                        const std::string& word,
                                                        api::Compat compat);

}  // namespace ksim::kubectl
