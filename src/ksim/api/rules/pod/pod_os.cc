#include "ksim/api/rules/pod/pod_os.h"

#include <initializer_list>

#include "ksim/api/core/fields.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

// Calls `visit(context, path)` for the contexts of the pod's containers, init containers first.
template <class Visit>
void ForEachContext(const Value& spec, const FieldPath& path, const Visit& visit) {
  for (const Atom field : {Fields().init_containers, Fields().containers}) {
    const FieldPath list = path.Child(field.text());
    const Value& containers = spec.Get(field);
    for (std::size_t i = 0; i < containers.size(); ++i) {
      const Value& context = containers.at(i).Get(Fields().security_context);
      if (!context.is_object()) continue;
      const FieldPath at = list.Index(i);
      visit(context, at.Child("securityContext"));
    }
  }
}

void ForbidAll(const Value& object, std::initializer_list<const char*> fields,
               const FieldPath& path, FieldErrorList* errors) {
  for (const char* field : fields) {
    const Value& given = object.Get(field);
    if (given.is_null()) continue;
    errors->Forbidden(path.Child(field), "cannot be set for a windows pod");
  }
}

void CheckLinux(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::string_view kWhy = "windows options cannot be set for a linux pod";
  if (spec.Get(Fields().security_context).Get(Fields().windows_options).is_object()) {
    const FieldPath at = path.Child("securityContext");
    errors->Forbidden(at.Child("windowsOptions"), kWhy);
  }
  ForEachContext(spec, path, [&](const Value& context, const FieldPath& at) {
    if (context.Get(Fields().windows_options).is_object())
      errors->Forbidden(at.Child("windowsOptions"), kWhy);
  });
}

void CheckWindows(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& context = spec.Get(Fields().security_context);
  const FieldPath at = path.Child("securityContext");
  ForbidAll(context, {"appArmorProfile", "seLinuxOptions"}, at, errors);
  ForbidAll(spec, {"hostUsers", "hostPID", "hostIPC"}, path, errors);
  ForbidAll(context, {"seccompProfile", "fsGroup", "fsGroupChangePolicy", "sysctls"}, at, errors);
  ForbidAll(spec, {"shareProcessNamespace"}, path, errors);
  ForbidAll(context, {"runAsUser", "runAsGroup", "supplementalGroups"}, at, errors);
  ForEachContext(spec, path, [&](const Value& c, const FieldPath& where) {
    ForbidAll(c,
              {"appArmorProfile", "seLinuxOptions", "seccompProfile", "capabilities",
               "readOnlyRootFilesystem", "privileged", "allowPrivilegeEscalation", "procMount",
               "runAsUser", "runAsGroup"},
              where, errors);
  });
}

}  // namespace

void ValidateOs(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& os = spec.Get(Fields().os);
  if (!os.is_object()) return;
  const std::string_view name = os.Get(Fields().name).AsString();
  const FieldPath at = path.Child("os");
  if (name.empty()) {
    errors->Required(at.Child("name"),
                     errors->profile().os_name_needs_text ? "cannot be empty" : "");
  } else if (name == "linux") {
    CheckLinux(spec, path, errors);
  } else if (name == "windows") {
    CheckWindows(spec, path, errors);
  } else {
    errors->NotSupported(at, name, {"linux", "windows"});
  }
}

}  // namespace ksim::api
