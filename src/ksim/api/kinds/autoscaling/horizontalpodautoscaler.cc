#include "ksim/api/core/kind_spec.h"

namespace ksim::api {

extern const KindSpec kHorizontalPodAutoscalerKind = {
    .group = "autoscaling",
    .version = "v2",
    .kind = "HorizontalPodAutoscaler",
    .resource = "horizontalpodautoscalers",
    .short_names = {"hpa"},
    .has_status = true,
};

}  // namespace ksim::api
