// The kind ClusterRoleBinding of rbac.authorization.k8s.io/v1.
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/kinds/rbac/roles.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

namespace {

constexpr std::string_view kClusterRoleBindingTypes = R"(
ClusterRoleBinding: apiVersion=string kind=string metadata=ObjectMeta roleRef!=RoleRef
   subjects=[]Subject
)";

}  // namespace

extern const KindSpec kClusterRoleBindingKind = {
    .group = "rbac.authorization.k8s.io",
    .kind = "ClusterRoleBinding",
    .resource = "clusterrolebindings",
    .namespaced = false,
    .create_on_update = true,
    .go_types = kClusterRoleBindingTypes,
    .columns = {{"Name"},
                {"Role"},
                {"Age"},
                {"Users", kWide},
                {"Groups", kWide},
                {"ServiceAccounts", kWide}},
    .cells = BindingCells,
    .defaults = DefaultBinding,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMeta, kCheckObject, kCheckMetaUpdate,
                          kCheckChange},
            .on_plain_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate, kCheckChange},
            .on_status_update = {},
            .object = ValidateBinding,
            .change = ValidateBindingChange,
            .name = RbacNameProblems,
        },
};

}  // namespace ksim::api
