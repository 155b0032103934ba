#include "ksim/api/core/kind_spec.h"
#include "ksim/api/kinds/admissionregistration/webhooks.h"

namespace ksim::api {

extern const KindSpec kValidatingWebhookConfigurationKind = {
    .group = "admissionregistration.k8s.io",
    .kind = "ValidatingWebhookConfiguration",
    .resource = "validatingwebhookconfigurations",
    .namespaced = false,
    .has_generation = true,
    .columns = {{"Name"}, {"Webhooks"}, {"Age"}},
    .cells = WebhookCells,
    .validation =
        {
            .standard_finalizers = false,
        },
};

}  // namespace ksim::api
