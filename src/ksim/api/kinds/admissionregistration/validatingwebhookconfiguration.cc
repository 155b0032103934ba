// The kind ValidatingWebhookConfiguration of admissionregistration.k8s.io/v1. The expressions of
// its conditions are not evaluated, nor looked at.
//
// Source: pkg/registry/admissionregistration/validatingwebhookconfiguration/strategy.go.
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/kinds/admissionregistration/webhooks.h"
#include "ksim/api/schema/shared_patch_schemas.h"

namespace ksim::api {

namespace {

constexpr std::string_view kValidatingTypes = R"(
ValidatingWebhook: admissionReviewVersions!=[]string clientConfig!=WebhookClientConfig
   failurePolicy=*s:FailurePolicyType matchConditions=[]MatchCondition
   matchPolicy=*s:MatchPolicyType
   name!=string namespaceSelector=*LabelSelector objectSelector=*LabelSelector
   rules=[]RuleWithOperations sideEffects!=*s:SideEffectClass timeoutSeconds=*int32
AdmissionResponse: allowed!=bool auditAnnotations={}string patch=bytes patchType=*s:PatchType
   status=*Raw uid!=s:UID warnings=[]string
AdmissionReview: apiVersion=string kind=string request=*Raw response=*AdmissionResponse
ValidatingWebhookConfiguration: apiVersion=string kind=string metadata=ObjectMeta
   webhooks=[]ValidatingWebhook
)";

}  // namespace

extern const KindSpec kValidatingWebhookConfigurationKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingWebhookConfiguration",
    .resource = "validatingwebhookconfigurations",
    .category = "api-extensions",
    .namespaced = false,
    .has_generation = true,
    .unconditional_update = false,
    .go_types = kValidatingTypes,
    .patch_schema = &kWebhooksPatch,
    .columns = {{"Name"}, {"Webhooks"}, {"Age"}},
    .cells = WebhookCells,
    .defaults = DefaultValidatingWebhooks,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckNewObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .new_object = CheckWebhooks,
            .change = CheckWebhooksUpdate,
            .standard_finalizers = false,
        },
    .warnings_on_create = StaticNameWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return StaticNameWarnings(updated, compat); },
};

}  // namespace ksim::api
