#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/kind_validation.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_validation.h"

namespace ksim::api {

using value::Atom;
using value::Path;
using value::Value;

namespace {

constexpr std::int64_t kMaxDataSize = 1024 * 1024;
constexpr std::int64_t kHighestUserPriority = 1'000'000'000;

void CheckDataKeys(const Value& data, std::string_view field, const Value* other,
                   std::int64_t* size, FieldErrorList* errors) {
  const FieldPath path(field);
  for (const Value::Member& m : data.members()) {
    const std::string_view key = m.name.text();
    errors->InvalidAll(path.Key(key), key, ConfigMapKey(key));
    if (other != nullptr && other->Has(key)) {
      errors->Invalid(path.Key(key), key, "duplicate of key present in binaryData");
    }
    *size += static_cast<std::int64_t>(m.value.AsString().size());
  }
}

void RequireKey(const Value& tree, const char* key, FieldErrorList* errors) {
  const FieldPath data("data");
  if (!tree.Get("data").Has(key)) errors->Required(data.Key(key));
}

}  // namespace

void ValidateLease(const Value& tree, FieldErrorList* errors) {
  static const value::Atom kSpec("spec"), kDuration("leaseDurationSeconds"),
      kTransitions("leaseTransitions");
  const FieldPath path("spec");
  const Value& spec = tree.Get(kSpec);
  const Value& duration = spec.Get(kDuration);
  if (duration.is_int() && duration.AsInt() <= 0) {
    errors->Invalid(path.Child("leaseDurationSeconds"), duration.AsInt(), "must be greater than 0");
  }
  const Value& transitions = spec.Get(kTransitions);
  if (transitions.is_int()) errors->NonNegative(path.Child("leaseTransitions"), transitions);
}

void ValidateConfigMap(const Value& tree, FieldErrorList* errors) {
  std::int64_t size = 0;
  CheckDataKeys(tree.Get("data"), "data", &tree.Get("binaryData"), &size, errors);
  CheckDataKeys(tree.Get("binaryData"), "binaryData", nullptr, &size, errors);
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
