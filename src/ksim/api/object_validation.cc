#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/api/kind_validation.h"
#include "ksim/api/meta_validation.h"
#include "ksim/api/name_rules.h"
#include "ksim/api/pod_validation.h"
#include "ksim/api/tree_edit.h"

namespace ksim::api {

using value::Atom;
using value::Path;
using value::Value;

namespace {

constexpr std::int64_t kMaxDataSize = 1024 * 1024;
constexpr std::int64_t kHighestUserPriority = 1'000'000'000;

void CheckTaints(const Value& taints, FieldErrorList* errors) {
  const FieldPath spec("spec");
  const FieldPath path = spec.Child("taints");
  std::vector<std::string> seen;
  for (std::size_t i = 0; i < taints.size(); ++i) {
    const FieldPath at = path.Index(i);
    const std::string_view key = taints.at(i).Get("key").AsString();
    const std::string_view value = taints.at(i).Get("value").AsString();
    const std::string_view effect = taints.at(i).Get("effect").AsString();
    errors->InvalidAll(at.Child("key"), key, QualifiedName(key, errors->compat()));
    const NameProblems problems = LabelValue(value, errors->compat());
    if (!problems.empty()) {
      errors->Invalid(at.Child("value"), value, fmt::format("{}", fmt::join(problems, ";")));
    }
    if (effect.empty()) {
      errors->Required(at.Child("effect"));
    } else {
      ValidateTaintEffect(effect, at.Child("effect"), errors);
    }
    std::string pair = fmt::format("{}:{}", key, effect);
    if (std::find(seen.begin(), seen.end(), pair) != seen.end()) {
      errors->Add("FieldValueDuplicate",
                  fmt::format("Duplicate value: {}: taints must be unique by key and effect pair",
                              GoValue(taints.at(i), GoShape::kOther, errors->compat())),
                  at.ToString());
    }
    seen.push_back(std::move(pair));
  }
}

void CheckResourceList(const Value& list, const FieldPath& path, FieldErrorList* errors) {
  for (const Value::Member& m : list.members()) {
    ValidateQuantity(m.name.text(), m.value, path.Key(m.name.text()), errors);
  }
}

// The parts of a node that a PUT may not change.
Value FixedPart(const Value& node) {
  Value spec = node.Get("spec");
  if (!spec.is_object()) spec = Value::EmptyObject();
  for (const char* free : {"taints", "unschedulable", "configSource", "podCIDR", "podCIDRs",
                           "providerID", "externalID"}) {
    spec = spec.Erase(free);
  }
  return spec;
}

void CheckDataKeys(const Value& data, std::string_view field, const Value* other,
                   std::int64_t* size, FieldErrorList* errors) {
  const FieldPath path(field);
  for (const Value::Member& m : data.members()) {
    const std::string_view key = m.name.text();
    errors->InvalidAll(path.Key(key), key, ConfigMapKey(key));
    if (other != nullptr && other->Has(key)) {
      errors->Invalid(path.Key(key), key, "duplicate of key present in data");
    }
    *size += static_cast<std::int64_t>(m.value.AsString().size());
  }
}

void RequireKey(const Value& tree, const char* key, FieldErrorList* errors) {
  const FieldPath data("data");
  if (!tree.Get("data").Has(key)) errors->Required(data.Key(key));
}

}  // namespace

void ValidateNode(const Value& tree, FieldErrorList* errors) {
  CheckTaints(tree.Get("spec").Get("taints"), errors);
  const FieldPath status("status");
  CheckResourceList(tree.Get("status").Get("capacity"), status.Child("capacity"), errors);
  CheckResourceList(tree.Get("status").Get("allocatable"), status.Child("allocatable"), errors);
}

void ValidateNodeUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  ValidateNode(tree, errors);
  const FieldPath spec("spec");
  const std::string_view id = old.Get("spec").Get("providerID").AsString();
  if (!id.empty() && tree.Get("spec").Get("providerID").AsString() != id) {
    errors->Forbidden(spec.Child("providerID"),
                      "node updates may not change providerID except from \"\" to valid");
  }
  const Value& cidrs = old.Get("spec").Get("podCIDRs");
  if (!cidrs.empty() && tree.Get("spec").Get("podCIDRs") != cidrs) {
    errors->Forbidden(spec.Child("podCIDRs"),
                      "node updates may not change podCIDR except from \"\" to valid");
  }
  if (FixedPart(tree) != FixedPart(old)) {
    errors->Forbidden(FieldPath(""), "node updates may only change labels, taints, or capacity");
  }
}

void ValidateNamespace(const Value& tree, FieldErrorList* errors) {
  const FieldPath spec("spec");
  for (const Value& f : tree.Get("spec").Get("finalizers").items()) {
    const std::string_view name = f.AsString();
    const NameProblems problems = QualifiedName(name, errors->compat());
    errors->InvalidAll(spec.Child("finalizers"), name, problems);
    if (problems.empty() && name.find('/') == name.npos && name != "kubernetes" &&
        name != "orphan" && name != "foregroundDeletion") {
      errors->Invalid(spec.Child("finalizers"), name,
                      "name is neither a standard finalizer name nor is it fully qualified");
    }
  }
}

void ValidateNamespaceStatus(const Value& tree, FieldErrorList* errors) {
  const FieldPath status("status");
  const std::string_view phase = tree.Get("status").Get("phase").AsString();
  const bool deleting = !tree.Get("metadata").Get("deletionTimestamp").is_null();
  if (!deleting && phase != "Active") {
    errors->Invalid(status.Child("Phase"), phase,
                    "may only be 'Active' if `deletionTimestamp` is empty");
  } else if (deleting && phase != "Terminating") {
    errors->Invalid(status.Child("Phase"), phase,
                    "may only be 'Terminating' if `deletionTimestamp` is not empty");
  }
}

void ValidateLease(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get("spec");
  const Value& duration = spec.Get("leaseDurationSeconds");
  if (duration.is_int() && duration.AsInt() <= 0) {
    errors->Invalid(path.Child("leaseDurationSeconds"), duration.AsInt(), "must be greater than 0");
  }
  const Value& transitions = spec.Get("leaseTransitions");
  if (transitions.is_int()) errors->NonNegative(path.Child("leaseTransitions"), transitions);
}

// legacyValidateEvent; what only events with an eventTime need follows.
void ValidateEvent(const Value& tree, FieldErrorList* errors) {
  const bool core = tree.Get("apiVersion").AsString() != "events.k8s.io/v1";
  const char* const object = core ? "involvedObject" : "regarding";
  const FieldPath involved("involvedObject");
  const std::string_view ns = tree.Get("metadata").Get("namespace").AsString();
  const std::string_view about = tree.Get(object).Get("namespace").AsString();
  const bool matches = about.empty() ? ns.empty() || ns == "default" : ns == about;
  if (!matches) {
    errors->Invalid(involved.Child("namespace"), about, "does not match event.namespace");
  }
  if (tree.Get("eventTime").is_null()) return;
  const FieldPath controller(core ? "reportingComponent" : "reportingController");
  const std::string_view reporter =
      tree.Get(core ? "reportingComponent" : "reportingController").AsString();
  if (reporter.empty()) errors->Required(controller);
  errors->InvalidAll(controller, reporter, QualifiedName(reporter, errors->compat()));
  for (const char* field : {"reportingInstance", "action", "reason"}) {
    const std::string_view text = tree.Get(field).AsString();
    if (text.empty()) errors->Required(FieldPath(field));
    if (text.size() > 128) {
      errors->Invalid(FieldPath(field), text, "can have at most 128 characters");
    }
  }
  const std::string_view message = tree.Get(core ? "message" : "note").AsString();
  if (message.size() > 1024) {
    errors->Invalid(FieldPath("message"), message, "can have at most 1024 characters");
  }
}

void ValidateConfigMap(const Value& tree, FieldErrorList* errors) {
  std::int64_t size = 0;
  CheckDataKeys(tree.Get("data"), "data", nullptr, &size, errors);
  CheckDataKeys(tree.Get("binaryData"), "binaryData", &tree.Get("data"), &size, errors);
  if (size > kMaxDataSize) errors->TooLong(FieldPath(""), kMaxDataSize);
}

void ValidateSecret(const Value& tree, FieldErrorList* errors) {
  std::int64_t size = 0;
  CheckDataKeys(tree.Get("data"), "data", nullptr, &size, errors);
  if (size / 4 * 3 > kMaxDataSize) errors->TooLong(FieldPath("data"), kMaxDataSize);
  const std::string_view type = tree.Get("type").AsString();
  if (type == "kubernetes.io/service-account-token") {
    static const Path kAnnotation{"metadata", "annotations", "kubernetes.io/service-account.name"};
    const FieldPath metadata("metadata");
    const FieldPath annotations = metadata.Child("annotations");
    if (tree.Get(kAnnotation).AsString().empty()) {
      errors->Required(annotations.Key("kubernetes.io/service-account.name"));
    }
  } else if (type == "kubernetes.io/dockercfg") {
    RequireKey(tree, ".dockercfg", errors);
  } else if (type == "kubernetes.io/dockerconfigjson") {
    RequireKey(tree, ".dockerconfigjson", errors);
  } else if (type == "kubernetes.io/ssh-auth") {
    RequireKey(tree, "ssh-privatekey", errors);
  } else if (type == "kubernetes.io/tls") {
    RequireKey(tree, "tls.crt", errors);
    RequireKey(tree, "tls.key", errors);
  } else if (type == "kubernetes.io/basic-auth") {
    const Value& data = tree.Get("data");
    if (!data.Has("username") && !data.Has("password")) {
      RequireKey(tree, "username", errors);
      RequireKey(tree, "password", errors);
    }
  }
}

void ValidateImmutableData(const Value& tree, const Value& old, FieldErrorList* errors) {
  if (!old.Get("immutable").AsBool()) return;
  constexpr std::string_view kWhy = "field is immutable when `immutable` is set";
  if (!tree.Get("immutable").AsBool()) errors->Forbidden(FieldPath("immutable"), kWhy);
  for (const char* field : {"data", "binaryData"}) {
    if (tree.Get(field) != old.Get(field)) errors->Forbidden(FieldPath(field), kWhy);
  }
}

void ValidatePriorityClass(const Value& tree, FieldErrorList* errors) {
  const std::string_view name = tree.Get("metadata").Get("name").AsString();
  const bool system = name == "system-cluster-critical" || name == "system-node-critical";
  const FieldPath metadata("metadata");
  if (name.starts_with("system-") && !system) {
    errors->Forbidden(metadata.Child("name"),
                      fmt::format("priority class names with 'system-' prefix are reserved for "
                                  "system use only. error: {} is not a known system priority class",
                                  name));
  } else if (!system && tree.Get("value").AsInt() > kHighestUserPriority) {
    errors->Forbidden(FieldPath("value"),
                      fmt::format("maximum allowed value of a user defined priority is {}",
                                  kHighestUserPriority));
  }
  const std::string_view policy = tree.Get("preemptionPolicy").AsString();
  if (policy.empty()) {
    errors->Required(FieldPath("preemptionPolicy"));
  } else if (policy != "PreemptLowerPriority" && policy != "Never") {
    errors->NotSupported(FieldPath("preemptionPolicy"), policy, {"PreemptLowerPriority", "Never"});
  }
}

void ValidatePriorityClassUpdate(const Value& tree, const Value& old, FieldErrorList* errors) {
  if (tree.Get("value").AsInt() != old.Get("value").AsInt()) {
    errors->Forbidden(FieldPath("value"), "may not be changed in an update.");
  }
  ValidateImmutable(tree.Get("preemptionPolicy"), old.Get("preemptionPolicy"), GoShape::kOther,
                    FieldPath("preemptionPolicy"), errors);
}

}  // namespace ksim::api
