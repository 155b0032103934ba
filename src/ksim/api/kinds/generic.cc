// Kinds that are not built in: custom resources, and the bodies of subresources. They have
// metadata, and nothing else is known of them.
#include "ksim/api/core/kind_spec.h"

namespace ksim::api {

extern const KindSpec kGenericKind = {
    .validation = {.standard_finalizers = false},
};

}  // namespace ksim::api
