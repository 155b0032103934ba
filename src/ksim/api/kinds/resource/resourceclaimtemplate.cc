// The kind ResourceClaimTemplate of resource.k8s.io/v1.
//
// Sources: pkg/registry/resource/resourceclaimtemplate/strategy.go; pkg/apis/resource/validation/
// validation.go ValidateResourceClaimTemplate; pkg/printers/internalversion/printers.go
// printResourceClaimTemplate.
#include <string_view>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/resource/device_claim.h"
#include "ksim/api/kinds/resource/device_texts.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kClaimTemplateTypes = R"(
ResourceClaimTemplate: apiVersion=string kind=string metadata=ObjectMeta
   spec!=ResourceClaimTemplateSpec
ResourceClaimTemplateSpec: metadata=ObjectMeta spec!=ResourceClaimSpec
)";

Value DefaultClaimTemplate(const Value& tree, Compat) {
  return EditField(tree, Fields().spec, [](const Value& spec) {
    return EditField(spec, Fields().spec, DefaultClaimSpec);
  });
}

void ValidateClaimTemplate(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const FieldPath metadata = path.Child("metadata");
  const Value& spec = tree.Get(Fields().spec);
  const Value& meta = spec.Get(Fields().metadata);
  ValidateAnnotations(meta.Get(Fields().annotations), metadata.Child("annotations"), errors);
  ValidateLabels(meta.Get(Fields().labels), metadata.Child("labels"), errors);
  CheckClaimSpec(spec.Get(Fields().spec), path.Child("spec"), errors);
}

void CheckTemplateStays(const Value& updated, const Value& old, FieldErrorList* errors) {
  CheckDevicePartStays(updated.Get(Fields().spec), old.Get(Fields().spec), "TemplateSpec",
                       FieldPath("spec"), errors);
}

}  // namespace

extern const KindSpec kResourceClaimTemplateKind = {
    .group = "resource.k8s.io",
    .kind = "ResourceClaimTemplate",
    .resource = "resourceclaimtemplates",
    .served = &Profile::serves_device_claims,
    .cached_from_start = false,
    .go_types = kClaimTemplateTypes,
    .defaults = DefaultClaimTemplate,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckChange},
            .object = ValidateClaimTemplate,
            .change = CheckTemplateStays,
        },
};

}  // namespace ksim::api
