// StorageObjectInUseProtection: new volumes and claims get the finalizers that keep them while they
// are in use.
//
// Source: plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go.
#include <algorithm>
#include <memory>
#include <string_view>

#include "ksim/apiserver/admission/plugin.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

class StorageProtection final : public Plugin {
 public:
  std::string_view name() const override { return "StorageObjectInUseProtection"; }
  bool Handles(const Attributes& a) const override {
    return a.operation == Operation::kCreate &&
           (a.Is("", "persistentvolumes") || a.Is("", "persistentvolumeclaims"));
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    static const Path kFinalizers{"metadata", "finalizers"};
    const std::string_view finalizer = a.resource.resource == "persistentvolumes"
                                           ? "kubernetes.io/pv-protection"
                                           : "kubernetes.io/pvc-protection";
    const Value all = a.object.Get(kFinalizers);
    const auto items = all.items();
    const bool has = std::any_of(items.begin(), items.end(), [finalizer](const Value& one) {
      return one.AsString() == finalizer;
    });
    if (!has) a.object = a.object.Set(kFinalizers, all.Append(Value::String(finalizer)));
    co_return api::Status();
  }
};

}  // namespace

std::unique_ptr<Plugin> MakeStorageProtection(const PluginContext&) {
  return std::make_unique<StorageProtection>();
}

}  // namespace ksim::apiserver
