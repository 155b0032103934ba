// The kind MutatingWebhookConfiguration of admissionregistration.k8s.io/v1. The expressions of its
// conditions are not evaluated, nor looked at.
//
// Source: pkg/registry/admissionregistration/mutatingwebhookconfiguration/strategy.go.
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/kinds/admissionregistration/webhooks.h"
#include "ksim/api/schema/shared_patch_schemas.h"

namespace ksim::api {

namespace {

constexpr std::string_view kMutatingTypes = R"(
MutatingWebhook: admissionReviewVersions!=[]string clientConfig!=WebhookClientConfig
   failurePolicy=*s:FailurePolicyType matchConditions=[]MatchCondition
   matchPolicy=*s:MatchPolicyType
   name!=string namespaceSelector=*LabelSelector objectSelector=*LabelSelector
   reinvocationPolicy=*s:ReinvocationPolicyType rules=[]RuleWithOperations
   sideEffects!=*s:SideEffectClass timeoutSeconds=*int32
MutatingWebhookConfiguration: apiVersion=string kind=string metadata=ObjectMeta
   webhooks=[]MutatingWebhook
RuleWithOperations: apiGroups=[]string apiVersions=[]string operations=[]s:OperationType
   resources=[]string scope=*s:ScopeType
admissionregistration.ServiceReference: name!=string namespace!=string path=*string port=*int32
WebhookClientConfig: caBundle=bytes service=*admissionregistration.ServiceReference url=*string
)";

}  // namespace

extern const KindSpec kMutatingWebhookConfigurationKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "MutatingWebhookConfiguration",
    .resource = "mutatingwebhookconfigurations",
    .category = "api-extensions",
    .namespaced = false,
    .has_generation = true,
    .unconditional_update = false,
    .go_types = kMutatingTypes,
    .patch_schema = &kWebhooksPatch,
    .columns = {{"Name"}, {"Webhooks"}, {"Age"}},
    .cells = WebhookCells,
    .defaults = DefaultMutatingWebhooks,
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
