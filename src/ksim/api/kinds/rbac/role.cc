// The kind Role of rbac.authorization.k8s.io/v1.
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/kinds/rbac/roles.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

namespace {

constexpr std::string_view kRoleTypes = R"(
PolicyRule: apiGroups=[]string nonResourceURLs=[]string resourceNames=[]string resources=[]string
   verbs!=[]string
Role: apiVersion=string kind=string metadata=ObjectMeta rules!=[]PolicyRule
)";

}  // namespace

extern const KindSpec kRoleKind = {
    .group = "rbac.authorization.k8s.io",
    .kind = "Role",
    .resource = "roles",
    .create_on_update = true,
    .go_types = kRoleTypes,
    .columns = {{"Name"}, {"Created At"}},
    .cells = cells::NameAndCreation,
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMeta, kCheckObject, kCheckMeta, kCheckObject, kCheckMetaUpdate},
            .on_plain_update = {kCheckMeta, kCheckObject, kCheckMetaUpdate},
            .on_status_update = {},
            .object = ValidateRole,
            .name = RbacNameProblems,
        },
};

}  // namespace ksim::api
