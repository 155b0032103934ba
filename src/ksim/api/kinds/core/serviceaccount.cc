#include "ksim/api/core/kind_spec.h"

namespace ksim::api {

namespace {

constexpr std::string_view kServiceAccountTypes = R"(
ServiceAccount: apiVersion=string automountServiceAccountToken=*bool
   imagePullSecrets=[]LocalObjectReference kind=string metadata=ObjectMeta
   secrets=[]ObjectReference
)";

}  // namespace

extern const KindSpec kServiceAccountKind = {
    .kind = "ServiceAccount",
    .resource = "serviceaccounts",
    .short_names = {"sa"},
    .go_types = kServiceAccountTypes,
    .validation =
        {
            .on_update = {kCheckMetaUpdate, kCheckMeta},
            .on_status_update = {},
        },
};

}  // namespace ksim::api
