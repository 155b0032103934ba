#include "ksim/api/rules/pod/pod_security.h"

#include <algorithm>
#include <limits>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/pod/volume_files.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::size_t kSysctlMax = 253;
constexpr std::string_view kSysctlRule =
    "must have at most 253 characters and match regex "
    "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$";

// IsValidUserID, IsValidGroupID.
void CheckId(const Value& id, const FieldPath& path, FieldErrorList* errors) {
  if (id.is_null()) return;
  if (id.AsInt() >= 0 && id.AsInt() <= std::numeric_limits<std::int32_t>::max()) return;
  errors->Invalid(path, id.AsInt(), "must be between 0 and 2147483647, inclusive");
}

bool IsSysctlName(std::string_view name) {
  if (name.size() > kSysctlMax) return false;
  const auto is_end = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  while (true) {
    const std::size_t at = name.find_first_of("./");
    const std::string_view part = name.substr(0, at);
    const bool good = !part.empty() && is_end(part.front()) && is_end(part.back()) &&
                      std::all_of(part.begin(), part.end(),
                                  [&](char c) { return is_end(c) || c == '-' || c == '_'; });
    if (!good) return false;
    if (at == name.npos) return true;
    name.remove_prefix(at + 1);
  }
}

void CheckSysctls(const Value& sysctls, const FieldPath& path, FieldErrorList* errors) {
  std::vector<std::string_view> seen;
  for (std::size_t i = 0; i < sysctls.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view name = sysctls.at(i).Get(Fields().name).AsString();
    if (name.empty()) {
      errors->Required(at.Child("name"));
    } else if (!IsSysctlName(name)) {
      errors->Invalid(at.Child("name"), name, kSysctlRule);
    } else if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      errors->Duplicate(at.Child("name"), name);
    }
    seen.push_back(name);
  }
}

void CheckSeccomp(const Value& profile, const FieldPath& path, FieldErrorList* errors) {
  if (!profile.is_object()) return;
  const std::string_view type = profile.Get(Fields().type).AsString();
  const Value& localhost = profile.Get(Fields().localhost_profile);
  if (type.empty()) {
    errors->Required(path.Child("type"), "type is required when seccompProfile is set");
  } else {
    ValidateChoice(type, false, path.Child("type"), {"Localhost", "RuntimeDefault", "Unconfined"},
                   errors);
  }
  const FieldPath at = path.Child("localhostProfile");
  if (type != "Localhost") {
    if (localhost.is_null()) return;
    errors->Invalid(at, profile, GoShape::kOther, "can only be set when seccomp type is Localhost");
  } else if (localhost.is_null()) {
    errors->Required(at, "must be set when seccomp type is Localhost");
  } else {
    ValidateDescendingPath(localhost.AsString(), at, errors);
  }
}

void CheckAppArmor(const Value& profile, const FieldPath& path, FieldErrorList* errors) {
  if (!profile.is_object()) return;
  const std::string_view type = profile.Get(Fields().type).AsString();
  const Value& localhost = profile.Get(Fields().localhost_profile);
  const FieldPath at = path.Child("localhostProfile");
  if (type == "Localhost") {
    const std::string_view name = localhost.AsString();
    const bool padded = !name.empty() && (name.front() == ' ' || name.back() == ' ');
    if (padded) {
      errors->Invalid(at, name, "must not be padded with whitespace");
    } else if (name.empty()) {
      errors->Required(at, "must be set when AppArmor type is Localhost");
    }
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (localhost.is_null()) return;
    errors->Invalid(at, localhost.AsString(), "can only be set when AppArmor type is Localhost");
  } else if (type.empty()) {
    errors->Required(path.Child("type"), "type is required when appArmorProfile is set");
  } else {
    errors->NotSupported(path.Child("type"), type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

bool HasHostUsers(const Value& spec) {
  return !spec.Get(Fields().host_users).is_bool() || spec.Get(Fields().host_users).AsBool();
}

void CheckProcMount(const Value& mount, const PodFacts& pod, const FieldPath& path,
                    FieldErrorList* errors) {
  if (mount.is_null()) return;
  ValidateChoice(mount.AsString(), false, path, {"Default", "Unmasked"}, errors);
  if (!errors->profile().proc_mount_needs_host_users) return;
  if (HasHostUsers(pod.spec) && mount.AsString() == "Unmasked") {
    errors->Invalid(path, mount.AsString(), "`hostUsers` must be false to use `Unmasked`");
  }
}

void CheckEscalation(const Value& context, const FieldPath& path, FieldErrorList* errors) {
  const Value& escalation = context.Get(Fields().allow_privilege_escalation);
  if (!escalation.is_bool() || escalation.AsBool()) return;
  if (context.Get(Fields().privileged).AsBool()) {
    errors->Invalid(path, context, GoShape::kOther,
                    "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  for (const Value& added : context.Get(Fields().capabilities).Get(Fields().add).items()) {
    if (added.AsString() != "CAP_SYS_ADMIN") continue;
    errors->Invalid(path, context, GoShape::kOther,
                    "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` "
                    "CAP_SYS_ADMIN");
  }
}

void CheckPolicies(const Value& context, const FieldPath& path, FieldErrorList* errors) {
  const Profile& profile = errors->profile();
  if (const Value& policy = context.Get(Fields().supplemental_groups_policy);
      profile.supplemental_groups_policy && !policy.is_null()) {
    ValidateChoice(policy.AsString(), false, path.Child("supplementalGroupsPolicy"),
                   {"Merge", "Strict"}, errors);
  }
  if (const Value& policy = context.Get(Fields().se_linux_change_policy);
      profile.selinux_change_policy && !policy.is_null()) {
    ValidateChoice(policy.AsString(), false, path.Child("seLinuxChangePolicy"),
                   {"MountOption", "Recursive"}, errors);
  }
}

}  // namespace

void ValidateSecurityContext(const Value& context, const PodFacts& pod, const FieldPath& path,
                             FieldErrorList* errors) {
  if (!context.is_object()) return;
  CheckId(context.Get(Fields().run_as_user), path.Child("runAsUser"), errors);
  CheckId(context.Get(Fields().run_as_group), path.Child("runAsGroup"), errors);
  CheckProcMount(context.Get(Fields().proc_mount), pod, path.Child("procMount"), errors);
  CheckSeccomp(context.Get(Fields().seccomp_profile), path.Child("seccompProfile"), errors);
  CheckEscalation(context, path, errors);
  CheckAppArmor(context.Get(Fields().app_armor_profile), path.Child("appArmorProfile"), errors);
}

void ValidatePodSecurityContext(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& context = spec.Get(Fields().security_context);
  if (!context.is_object()) return;
  CheckId(context.Get(Fields().fs_group), path.Child("fsGroup"), errors);
  CheckId(context.Get(Fields().run_as_user), path.Child("runAsUser"), errors);
  CheckId(context.Get(Fields().run_as_group), path.Child("runAsGroup"), errors);
  const Value& groups = context.Get(Fields().supplemental_groups);
  const FieldPath list = path.Child("supplementalGroups");
  for (std::size_t i = 0; i < groups.size(); ++i) CheckId(groups.at(i), list.Index(i), errors);
  if (spec.Get(Fields().share_process_namespace).AsBool() && spec.Get(Fields().host_pid).AsBool()) {
    errors->Invalid(path.Child("shareProcessNamespace"), Value::Bool(true), GoShape::kOther,
                    "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  CheckSysctls(context.Get(Fields().sysctls), path.Child("sysctls"), errors);
  if (const Value& policy = context.Get(Fields().fs_group_change_policy); !policy.is_null()) {
    ValidateChoice(policy.AsString(), false, path.Child("fsGroupChangePolicy"),
                   {"Always", "OnRootMismatch"}, errors);
  }
  CheckSeccomp(context.Get(Fields().seccomp_profile), path.Child("seccompProfile"), errors);
  CheckAppArmor(context.Get(Fields().app_armor_profile), path.Child("appArmorProfile"), errors);
  CheckPolicies(context, path, errors);
}

// Upstream's paths of two of the fields begin with a capital.
void ValidateHostUsers(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  if (HasHostUsers(spec)) return;
  const std::string_view why = errors->profile().host_users_as_field
                                   ? "when `hostUsers` is false"
                                   : "when `pod.Spec.HostUsers` is false";
  if (spec.Get(Fields().host_network).AsBool()) errors->Forbidden(path.Child("hostNetwork"), why);
  if (spec.Get(Fields().host_pid).AsBool()) errors->Forbidden(path.Child("HostPID"), why);
  if (spec.Get(Fields().host_ipc).AsBool()) errors->Forbidden(path.Child("HostIPC"), why);
}

}  // namespace ksim::api
