// The kind StorageClass of storage.k8s.io/v1.
//
// Source: pkg/printers/internalversion/printers.go printStorageClass.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

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

}  // namespace

extern const KindSpec kStorageClassKind = {
    .group = "storage.k8s.io",
    .kind = "StorageClass",
    .resource = "storageclasses",
    .short_names = {"sc"},
    .namespaced = false,
    .columns = {{"Name"},
                {"Provisioner"},
                {"ReclaimPolicy"},
                {"VolumeBindingMode"},
                {"AllowVolumeExpansion"},
                {"Age"}},
    .cells = StorageClassCells,
};

}  // namespace ksim::api
