// The kind StorageClass of storage.k8s.io/v1.
//
// Source: pkg/printers/internalversion/printers.go printStorageClass.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/node_labels.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kStorageClassTypes = R"(
StorageClass: allowVolumeExpansion=*bool allowedTopologies=[]TopologySelectorTerm apiVersion=string
   kind=string metadata=ObjectMeta mountOptions=[]string parameters={}string provisioner!=string
   reclaimPolicy=*s:PersistentVolumeReclaimPolicy volumeBindingMode=*s:VolumeBindingMode
TopologySelectorLabelRequirement: key!=string values!=[]string
TopologySelectorTerm: matchLabelExpressions=[]TopologySelectorLabelRequirement
)";

// pkg/apis/storage/v1/defaults.go SetDefaults_StorageClass
Value DefaultStorageClass(const Value& tree, Compat) {
  return WithDefault(WithDefault(tree, value::Atom("reclaimPolicy"), Value::Of("Delete")),
                     value::Atom("volumeBindingMode"), Value::Of("Immediate"));
}

std::vector<std::string> StorageClassCells(const Object& o, VirtualTime now) {
  const Value& tree = o.tree();
  bool is_default = false;
  for (const char* key : {"storageclass.kubernetes.io/is-default-class",
                          "storageclass.beta.kubernetes.io/is-default-class"})
    is_default = is_default || o.annotations().Get(key).AsString() == "true";
  return {cells::Name(o) + (is_default ? " (default)" : ""),
          cells::Text(tree.Get("provisioner")),
          cells::TextOr(tree.Get("reclaimPolicy"), "Delete"),
          cells::TextOr(tree.Get("volumeBindingMode"), "Immediate"),
          cells::YesNo(tree.Get("allowVolumeExpansion")),
          cells::Age(o, now)};
}

// pkg/api/storage/util.go GetWarningsForStorageClass
std::vector<std::string> StorageClassWarnings(const Value& tree, Compat compat) {
  std::vector<std::string> warnings;
  const Value& topologies = tree.Get("allowedTopologies");
  for (std::size_t i = 0; i < topologies.size(); ++i) {
    const Value& expressions = topologies.at(i).Get("matchLabelExpressions");
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      const std::string_view text =
          DeprecatedLabelText(expressions.at(j).Get("key").AsString(), ProfileOf(compat));
      if (!text.empty())
        warnings.push_back(
            fmt::format("allowedTopologies[{}].matchLabelExpressions[{}].key: {}", i, j, text));
    }
  }
  return warnings;
}

}  // namespace

extern const KindSpec kStorageClassKind = {
    .group = "storage.k8s.io",
    .kind = "StorageClass",
    .resource = "storageclasses",
    .short_names = {"sc"},
    .namespaced = false,
    .go_types = kStorageClassTypes,
    .columns = {{"Name"},
                {"Provisioner"},
                {"ReclaimPolicy"},
                {"VolumeBindingMode"},
                {"AllowVolumeExpansion"},
                {"Age"}},
    .cells = StorageClassCells,
    .defaults = DefaultStorageClass,
    .warnings_on_create = StorageClassWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return StorageClassWarnings(updated, compat); },
};

}  // namespace ksim::api
