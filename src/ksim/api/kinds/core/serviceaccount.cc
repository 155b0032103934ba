// The kind ServiceAccount of v1.
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/schema/shared_patch_schemas.h"

namespace ksim::api {

namespace {

constexpr std::string_view kServiceAccountTypes = R"(
ServiceAccount: apiVersion=string automountServiceAccountToken=*bool
   imagePullSecrets=[]LocalObjectReference kind=string metadata=ObjectMeta
   secrets=[]ObjectReference
)";

constexpr value::PatchField kServiceAccountPatchFields[] = {Nested("metadata", &kMetaPatch),
                                                            MergeList("secrets", "name")};
constexpr value::PatchSchema kServiceAccountPatch{kServiceAccountPatchFields};

}  // namespace

extern const KindSpec kServiceAccountKind = {
    .kind = "ServiceAccount",
    .resource = "serviceaccounts",
    .short_names = {"sa"},
    .go_types = kServiceAccountTypes,
    .patch_schema = &kServiceAccountPatch,
    .validation =
        {
            .on_update = {kCheckMetaUpdate, kCheckMeta},
            .on_status_update = {},
        },
};

}  // namespace ksim::api
