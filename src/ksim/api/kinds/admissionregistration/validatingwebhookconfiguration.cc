// The kind ValidatingWebhookConfiguration of admissionregistration.k8s.io/v1.
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/kinds/admissionregistration/webhooks.h"
#include "ksim/api/schema/shared_patch_schemas.h"

namespace ksim::api {

extern const KindSpec kValidatingWebhookConfigurationKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingWebhookConfiguration",
    .resource = "validatingwebhookconfigurations",
    .category = "api-extensions",
    .namespaced = false,
    .has_generation = true,
    .patch_schema = &kWebhooksPatch,
    .columns = {{"Name"}, {"Webhooks"}, {"Age"}},
    .cells = WebhookCells,
    .validation =
        {
            .standard_finalizers = false,
        },
    .warnings_on_create = StaticNameWarnings,
    .warnings_on_update = [](const value::Value& updated, const value::Value&,
                             Compat compat) { return StaticNameWarnings(updated, compat); },
};

}  // namespace ksim::api
