// The kind HorizontalPodAutoscaler of autoscaling/v2.
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/schema/shared_patch_schemas.h"

namespace ksim::api {

extern const KindSpec kHorizontalPodAutoscalerKind = {
    .group = "autoscaling",
    .version = "v2",
    .kind = "HorizontalPodAutoscaler",
    .resource = "horizontalpodautoscalers",
    .short_names = {"hpa"},
    .has_status = true,
    .patch_schema = &kStatusConditionsPatch,
};

}  // namespace ksim::api
