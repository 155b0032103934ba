// DefaultStorageClass: a claim that names no class gets the default one, if there is one.
//
// Source: plugin/pkg/admission/storage/storageclass/setdefault/admission.go.
#include <fmt/format.h>

#include <memory>
#include <vector>

#include "ksim/api/views/volumes.h"
#include "ksim/apiserver/admission/plugin.h"
#include "ksim/apiserver/cacher/resources.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/apiserver/server.h"

namespace ksim::apiserver {
namespace {

using value::Path;
using value::Value;

class StorageClassDefaulter final : public Plugin {
 public:
  explicit StorageClassDefaulter(const PluginContext& context) : context_(context) {}
  std::string_view name() const override { return "DefaultStorageClass"; }
  bool Handles(const Attributes& a) const override {
    return a.operation == Operation::kCreate && a.Is("", "persistentvolumeclaims") &&
           !api::HasStorageClass(api::Object::FromTree(a.object));
  }

  sim::Task<api::Status> Admit(Attributes& a) override {
    static const Path kClassName{"spec", "storageClassName"};
    CacheDelegator& storage = context_.resources.StorageFor(
        *context_.kinds.ByResource("storage.k8s.io", "storageclasses"));
    const std::vector<api::Object> classes = storage.cacher()->cache().List("", "");
    const std::size_t defaults = api::CountDefaultClasses(classes);
    if (defaults == 0) co_return api::Status();
    if (defaults > 1 && !apiserver::ProfileOf(context_.shared.compat).takes_newest_default_class)
      co_return AdmissionForbidden(
          a,
          fmt::format("Internal error occurred: {} default StorageClasses were found", defaults));
    const api::Object chosen = api::DefaultStorageClass(classes);
    a.object = a.object.Set(kClassName, Value::String(chosen.name()));
    co_return api::Status();
  }

 private:
  PluginContext context_;
};

}  // namespace

std::unique_ptr<Plugin> MakeDefaultStorageClass(const PluginContext& context) {
  return std::make_unique<StorageClassDefaulter>(context);
}

}  // namespace ksim::apiserver
