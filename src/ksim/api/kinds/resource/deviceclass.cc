// The kind DeviceClass of resource.k8s.io/v1.
//
// Sources: pkg/registry/resource/deviceclass/strategy.go;
// pkg/apis/resource/validation/validation.go ValidateDeviceClass;
// pkg/printers/internalversion/printers.go printDeviceClass.
#include <string>
#include <string_view>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds/resource/device_rules.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kDeviceClassTypes = R"(
DeviceClass: apiVersion=string kind=string metadata=ObjectMeta spec!=DeviceClassSpec
DeviceClassConfiguration: opaque=*OpaqueDeviceConfiguration
DeviceClassSpec: config=[]DeviceClassConfiguration extendedResourceName=*string
   selectors=[]DeviceSelector
)";

// helper.IsExtendedResourceName
bool IsExtendedName(std::string_view name, Compat compat) {
  const bool native = name.find('/') == name.npos || name.find("kubernetes.io/") != name.npos;
  return !native && !name.starts_with("requests.") &&
         QualifiedName("requests." + std::string(name), compat).empty();
}

void ValidateDeviceClass(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  CheckDeviceSelectors(spec.Get("selectors"), path.Child("selectors"), errors);
  CheckList(spec.Get("config"), kMostDeviceItems, path.Child("config"), errors,
            CheckDeviceConfiguration);
  const Value& extended = spec.Get("extendedResourceName");
  if (extended.is_null() || IsExtendedName(extended.AsString(), errors->compat())) return;
  errors->Invalid(path.Child("extendedResourceName"), extended.AsString(),
                  "must be a valid extended resource name");
}

}  // namespace

extern const KindSpec kDeviceClassKind = {
    .group = "resource.k8s.io",
    .kind = "DeviceClass",
    .resource = "deviceclasses",
    .served = &Profile::serves_device_claims,
    .cached_from_start = false,
    .namespaced = false,
    .has_generation = true,
    .go_types = kDeviceClassTypes,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckMetaUpdate, kCheckObject},
            .object = ValidateDeviceClass,
        },
};

}  // namespace ksim::api
