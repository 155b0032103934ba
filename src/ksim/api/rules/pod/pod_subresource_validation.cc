#include "ksim/api/rules/pod/pod_subresource_validation.h"

#include <fmt/format.h>

#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/rules/pod/pod_update_validation.h"
#include "ksim/api/rules/pod/pod_validation.h"
#include "ksim/api/views/qos.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

bool IsStatic(const Value& pod) {
  return pod.Get(Fields().metadata).Get(Fields().annotations).Has("kubernetes.io/config.mirror");
}

// An error that takes the place of all others; its field has no name.
void ForbidAlone(std::string_view detail, FieldErrorList* errors) {
  errors->Take();
  errors->Add("FieldValueForbidden", fmt::format("Forbidden: {}", detail), "[]");
}

void CheckEphemeralContainers(const Value& pod, const Value& old, FieldErrorList* errors) {
  if (IsStatic(old)) return ForbidAlone("static pods do not support ephemeral containers", errors);
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("ephemeralContainers");
  const Value& now = pod.Get(Fields().spec).Get(Fields().ephemeral_containers);
  for (const Value& before : old.Get(Fields().spec).Get(Fields().ephemeral_containers).items()) {
    const std::string name = GoQuote(before.Get(Fields().name).AsString());
    const Value* found = nullptr;
    for (const Value& container : now.items())
      if (container.Get(Fields().name) == before.Get(Fields().name)) found = &container;
    if (found == nullptr) {
      errors->Forbidden(path,
                        fmt::format("existing ephemeral containers {} may not be removed\n", name));
    } else if (*found != before) {
      errors->Forbidden(path, fmt::format("existing ephemeral containers {} may not be changed\n{}",
                                          name, ChangedFields(before, *found)));
    }
  }
}

// isPodResizeRequestSupported: a kubelet that can resize says of a running container what it has.
bool NodeResizes(const Value& pod) {
  for (const Value& status : pod.Get(Fields().status).Get(Fields().container_statuses).items())
    if (!status.Get(Fields().state).Get(Fields().running).is_null())
      return !status.Get(Fields().resources).is_null();
  return true;
}

// validatePodResizeContainerOrdering. True: the containers can be compared one by one.
bool CheckOrder(const Value& now, const Value& before, Atom list, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child(list.text());
  const std::size_t errors_before = errors->size();
  if (now.size() != before.size()) {
    errors->Forbidden(path, fmt::format("{} may not be added or removed on resize", list.text()));
  } else {
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (now.at(i).Get(Fields().name) == before.at(i).Get(Fields().name)) continue;
      const FieldPath at = path.Index(i);
      errors->Forbidden(at.Child("name"),
                        fmt::format("{} may not be renamed or reordered on resize", list.text()));
    }
  }
  return errors->size() == errors_before;
}

// validateContainerResize: what was asked for can change, and not be taken back.
void CheckKept(const Value& now, const Value& before, const FieldPath& path,
               FieldErrorList* errors) {
  for (const char* field : {"requests", "limits"}) {
    const Value& kept = now.Get(Fields().resources).Get(field);
    bool removed = false;
    for (const auto& [name, amount] : before.Get(Fields().resources).Get(field).members())
      removed |= kept.Get(name).is_null();
    if (!removed) continue;
    const FieldPath at = path.Child("resources");
    errors->Forbidden(at.Child(field), fmt::format("resource {} cannot be removed", field));
  }
}

// dropCPUMemoryResourcesFromContainer: the container with the CPU and memory that the old one has.
Value WithSteadyAmounts(const Value& container, const Value& before) {
  Value resources = Value::EmptyObject();
  for (const char* field : {"requests", "limits"}) {
    Value list = container.Get(Fields().resources).Get(field);
    if (!list.is_object()) list = Value::EmptyObject();
    for (const char* name : {"cpu", "memory"}) {
      const Value& amount = before.Get(Fields().resources).Get(field).Get(name);
      if (!amount.is_null()) {
        list = std::move(list).Set(name, amount);
      } else if (list.Has(name)) {
        list = list.Erase(name);
      }
    }
    if (!list.empty()) resources = std::move(resources).Set(field, std::move(list));
  }
  return container.Set(Fields().resources, std::move(resources));
}

void CheckAmounts(const Value& now, const Value& before, Atom list, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child(list.text());
  for (std::size_t i = 0; i < now.size(); ++i)
    CheckKept(now.at(i), before.at(i), path.Index(i), errors);
}

bool RestartsToResize(const Value& container) {
  for (const Value& policy : container.Get(Fields().resize_policy).items())
    if (policy.Get(Fields().restart_policy).AsString() == "RestartContainer") return true;
  return false;
}

void CheckOthersStay(const Value& now, const Value& before, Atom list, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child(list.text());
  const bool init = list == Fields().init_containers;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Value& container = now.at(i);
    const FieldPath at = path.Index(i);
    if (WithSteadyAmounts(container, before.at(i)) !=
        WithSteadyAmounts(before.at(i), before.at(i))) {
      const char* const init_text =
          "only cpu and memory resources for init or sidecar containers are mutable";
      errors->Forbidden(init ? at : spec,
                        init ? init_text : "only cpu and memory resources are mutable");
    }
    const bool sidecar = container.Get(Fields().restart_policy).AsString() == "Always";
    if (init && !sidecar && container != before.at(i) && RestartsToResize(container))
      errors->Forbidden(at,
                        "non-sidecar init containers with a resize policy of RestartContainer "
                        "cannot be resized");
  }
}

// Changes of a pod's own resources are not looked at.
void CheckResize(const Value& pod, const Value& old, FieldErrorList* errors) {
  static const value::Path kOs{"spec", "os", "name"};
  static const value::Path kQos{"status", "qosClass"};
  if (IsStatic(old)) return ForbidAlone("static pods cannot be resized", errors);
  if (old.Get(kOs).AsString() == "windows")
    return ForbidAlone("windows pods cannot be resized", errors);
  const FieldPath path("spec");
  const Value& spec = pod.Get(Fields().spec);
  const Value& before = old.Get(Fields().spec);
  if (old.Get(kQos).AsString() != ComputeQosClass(spec))
    errors->Invalid(path, pod.Get(kQos).AsString(),
                    "Pod QOS Class may not change as a result of resizing");
  if (!NodeResizes(old)) errors->Forbidden(path, "Pod running on node without support for resize");
  const Atom lists[] = {Fields().containers, Fields().init_containers};
  bool ordered = true;
  for (const Atom list : lists)
    ordered &= CheckOrder(spec.Get(list), before.Get(list), list, errors);
  if (!ordered) return;
  for (const Atom list : {Fields().init_containers, Fields().containers})
    CheckAmounts(spec.Get(list), before.Get(list), list, errors);
  for (const Atom list : lists) CheckOthersStay(spec.Get(list), before.Get(list), list, errors);
}

}  // namespace

void ValidatePodSubresource(const Value& pod, const Value& old, std::string_view subresource,
                            FieldErrorList* errors) {
  ValidatePodMetadataAndSpec(pod, old, errors);
  if (subresource == "ephemeralcontainers") {
    CheckEphemeralContainers(pod, old, errors);
  } else if (subresource == "resize") {
    CheckResize(pod, old, errors);
  }
}

}  // namespace ksim::api
