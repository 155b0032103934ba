// The kind ServiceAccount of v1.
#include <string>
#include <vector>

#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/value/value.h"

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

bool ForcesMountableSecrets(const value::Value& account) {
  return account.Get("metadata").Get("annotations").Has("kubernetes.io/enforce-mountable-secrets");
}

// warnIfHasEnforceMountableSecretsAnnotation
std::vector<std::string> AccountWarnings(const value::Value& tree, Compat compat) {
  if (!ProfileOf(compat).warns_of_mountable_secrets || !ForcesMountableSecrets(tree)) return {};
  return {
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer "
      "separate namespaces to isolate access to mounted secrets"};
}

std::vector<std::string> AccountUpdateWarnings(const value::Value& updated, const value::Value& old,
                                               Compat compat) {
  if (ForcesMountableSecrets(old)) return {};
  return AccountWarnings(updated, compat);
}

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
    .warnings_on_create = AccountWarnings,
    .warnings_on_update = AccountUpdateWarnings,
};

}  // namespace ksim::api
