#include "ksim/api/kinds/admissionregistration/webhooks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/admissionregistration/match_conditions.h"
#include "ksim/api/kinds/shared/webhook_client.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/base/one_of.h"

namespace ksim::api {

using value::Value;

namespace {

using Texts = std::initializer_list<std::string_view>;

constexpr std::int64_t kDefaultTimeout = 10;  // seconds
constexpr std::int64_t kMaxTimeout = 30;
constexpr std::string_view kVersions[] = {"v1", "v1beta1"};  // of AdmissionReview

bool HasItem(const Value& list, std::string_view text) {
  for (const Value& item : list.items())
    if (item.AsString() == text) return true;
  return false;
}

// --- defaults ---

Value DefaultRule(const Value& rule) {
  return rule.is_object() && rule.Get("scope").is_null() ? rule.Set("scope", Value::Of("*")) : rule;
}

// SetDefaults_ValidatingWebhook, SetDefaults_Rule, SetDefaults_ServiceReference
Value DefaultWebhook(const Value& given) {
  static const value::Atom kService("service"), kConfig("clientConfig"), kRules("rules");
  if (!given.is_object()) return given;
  Value hook = given;
  const auto give = [&](std::string_view field, Value fallback) {
    if (hook.Get(field).is_null()) hook = std::move(hook).Set(field, std::move(fallback));
  };
  give("failurePolicy", Value::Of("Fail"));
  give("matchPolicy", Value::Of("Equivalent"));
  give("namespaceSelector", Value::EmptyObject());
  give("objectSelector", Value::EmptyObject());
  give("timeoutSeconds", Value::Of(kDefaultTimeout));
  hook = EditField(std::move(hook), kRules,
                   [](const Value& rules) { return EditItems(rules, DefaultRule); });
  return EditField(std::move(hook), kConfig, [](const Value& config) {
    return EditField(config, kService, [](const Value& service) {
      if (!service.is_object() || !service.Get("port").is_null()) return service;
      return service.Set("port", Value::Of(443));
    });
  });
}

Value DefaultMutatingWebhook(const Value& given) {
  const Value hook = DefaultWebhook(given);
  if (!hook.is_object() || !hook.Get("reinvocationPolicy").is_null()) return hook;
  return hook.Set("reinvocationPolicy", Value::Of("Never"));
}

// --- rules ---

// validationOptions: what a configuration that was stored so may go on to be.
struct Leniency {
  bool side_effects = false;
  bool review_versions = false;
  bool names = false;
  bool conditions = false;  // they are as they were
  KnownTexts known;         // expressions of the old conditions
};

void RefuseWithWildcard(const Value& list, const FieldPath& path, std::string_view others,
                        FieldErrorList* errors) {
  if (list.size() > 1 && HasItem(list, "*"))
    errors->Invalid(path, list, GoShape::kStringSlice,
                    fmt::format("if '*' is present, must not specify other {}", others));
}

// validateResources
void CheckHookResources(const Value& resources, const FieldPath& path, FieldErrorList* errors) {
  if (resources.empty()) errors->Required(path);
  std::set<std::string_view> any_sub, any_resource;  // of x/* the x, of */x the x
  bool double_wildcard = false, wildcard = false, plain = false;
  for (std::size_t i = 0; i < resources.size(); ++i) {
    const std::string_view text = resources.at(i).AsString();
    if (text.empty()) {
      errors->Required(path.Index(i));
      continue;
    }
    double_wildcard = double_wildcard || text == "*/*";
    wildcard = wildcard || text == "*";
    const std::size_t slash = text.find('/');
    if (slash == text.npos) {
      plain = text != "*";
      continue;
    }
    const std::string_view resource = text.substr(0, slash), sub = text.substr(slash + 1);
    if (any_sub.contains(resource))
      errors->Invalid(path.Index(i), text,
                      fmt::format("if '{}/*' is present, must not specify {}", resource, text));
    if (any_resource.contains(sub))
      errors->Invalid(path.Index(i), text,
                      fmt::format("if '*/{}' is present, must not specify {}", sub, text));
    if (sub == "*") any_sub.insert(resource);
    if (resource == "*") any_resource.insert(sub);
  }
  if (resources.size() > 1 && double_wildcard)
    errors->Invalid(path, resources, GoShape::kStringSlice,
                    "if '*/*' is present, must not specify other resources");
  if (wildcard && plain)
    errors->Invalid(path, resources, GoShape::kStringSlice,
                    "if '*' is present, must not specify other resources without subresources");
}

}  // namespace

void CheckHookRule(const Value& rule, const FieldPath& path, FieldErrorList* errors) {
  const Value& operations = rule.Get("operations");
  if (operations.empty()) errors->Required(path.Child("operations"));
  RefuseWithWildcard(operations, path.Child("operations"), "operations", errors);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const std::string_view operation = operations.at(i).AsString();
    if (!IsOneOf(operation, {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"}))
      errors->NotSupported(path.Child("operations").Index(i), operation,
                           {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
  }
  const Value& groups = rule.Get("apiGroups");
  if (groups.empty()) errors->Required(path.Child("apiGroups"));
  RefuseWithWildcard(groups, path.Child("apiGroups"), "API groups", errors);
  const Value& versions = rule.Get("apiVersions");
  if (versions.empty()) errors->Required(path.Child("apiVersions"));
  RefuseWithWildcard(versions, path.Child("apiVersions"), "API versions", errors);
  for (std::size_t i = 0; i < versions.size(); ++i) {
    if (versions.at(i).AsString().empty()) errors->Required(path.Child("apiVersions").Index(i));
  }
  CheckHookResources(rule.Get("resources"), path.Child("resources"), errors);
  const Value& scope = rule.Get("scope");
  if (!scope.is_null() && !IsOneOf(scope.AsString(), {"*", "Cluster", "Namespaced"}))
    errors->NotSupported(path.Child("scope"), scope.AsString(), {"*", "Cluster", "Namespaced"});
}

namespace {

void CheckHookClient(const Value& config, const FieldPath& path, FieldErrorList* errors) {
  const Value& url = config.Get("url");
  const Value& service = config.Get("service");
  if (url.is_null() == service.is_null())
    return errors->Required(path, "exactly one of url or service is required");
  if (!url.is_null()) return ValidateWebhookUrl(url.AsString(), path.Child("url"), errors);
  ValidateWebhookService(service, path.Child("service"), errors);
}

// IsFullyQualifiedName
void CheckHookName(std::string_view name, const FieldPath& path, FieldErrorList* errors) {
  if (name.empty()) return errors->Required(path);
  const NameProblems problems = Dns1123Subdomain(name);
  std::string text;
  for (const std::string& problem : problems) text.append(text.empty() ? "" : ",").append(problem);
  if (text.empty() && std::count(name.begin(), name.end(), '.') < 2)
    text = "should be a domain with at least three segments separated by dots";
  if (!text.empty()) errors->Invalid(path, name, text);
}

void CheckSideEffects(const Value& given, bool lenient, const FieldPath& path,
                      FieldErrorList* errors) {
  if (given.is_null()) {
    return errors->Required(path, lenient ? "must specify one of None, NoneOnDryRun, Some, Unknown"
                                          : "must specify one of None, NoneOnDryRun");
  }
  const std::string_view effects = given.AsString();
  if (IsOneOf(effects, {"None", "NoneOnDryRun"})) return;
  if (lenient) {
    if (!IsOneOf(effects, {"Some", "Unknown"}))
      errors->NotSupported(path, effects, {"None", "NoneOnDryRun", "Some", "Unknown"});
    return;
  }
  errors->NotSupported(path, effects, {"None", "NoneOnDryRun"});
}

bool IsRecognizedVersion(std::string_view version) {
  return std::find(std::begin(kVersions), std::end(kVersions), version) != std::end(kVersions);
}

bool HasRecognizedVersion(const Value& versions) {
  for (const Value& version : versions.items())
    if (IsRecognizedVersion(version.AsString())) return true;
  return false;
}

// validateAdmissionReviewVersions
void CheckReviewVersions(const Value& versions, bool lenient, const FieldPath& path,
                         FieldErrorList* errors) {
  if (versions.empty()) return errors->Required(path, "must specify one of v1, v1beta1");
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < versions.size(); ++i) {
    const std::string_view version = versions.at(i).AsString();
    if (!seen.insert(version).second) {
      errors->Invalid(path.Index(i), version, "duplicate version");
      continue;
    }
    errors->InvalidAll(path.Index(i), version, Dns1035Label(version));
  }
  if (!lenient && !HasRecognizedVersion(versions))
    errors->Invalid(path, versions, GoShape::kStringSlice,
                    "must include at least one of v1, v1beta1");
}

// validateValidatingWebhook, validateMutatingWebhook
void CheckWebhook(const Value& hook, const Leniency& lenient, const FieldPath& path,
                  FieldErrorList* errors) {
  CheckHookName(hook.Get("name").AsString(), path.Child("name"), errors);
  for (std::size_t i = 0; i < hook.Get("rules").size(); ++i)
    CheckHookRule(hook.Get("rules").at(i), path.Child("rules").Index(i), errors);
  const auto choice = [&](std::string_view field, Texts allowed) {
    const Value& given = hook.Get(field);
    if (!given.is_null() && !IsOneOf(given.AsString(), allowed))
      errors->NotSupported(path.Child(field), given.AsString(), allowed);
  };
  choice("failurePolicy", {"Fail", "Ignore"});
  choice("matchPolicy", {"Equivalent", "Exact"});
  CheckSideEffects(hook.Get("sideEffects"), lenient.side_effects, path.Child("sideEffects"),
                   errors);
  const Value& timeout = hook.Get("timeoutSeconds");
  if (!timeout.is_null() && (timeout.AsInt() > kMaxTimeout || timeout.AsInt() < 1))
    errors->Invalid(path.Child("timeoutSeconds"), timeout.AsInt(),
                    "the timeout value must be between 1 and 30 seconds");
  for (const char* selector : {"namespaceSelector", "objectSelector"}) {
    if (!hook.Get(selector).is_null())
      ValidateLabelSelector(hook.Get(selector), path.Child(selector), errors);
  }
  choice("reinvocationPolicy", {"IfNeeded", "Never"});
  CheckHookClient(hook.Get("clientConfig"), path.Child("clientConfig"), errors);
  if (!lenient.conditions && errors->profile().webhook_match_conditions)
    CheckMatchConditions(hook.Get("matchConditions"), false, lenient.known,
                         path.Child("matchConditions"), errors);
}

void CheckEachHook(const Value& tree, const Leniency& lenient, FieldErrorList* errors) {
  const FieldPath webhooks("webhooks");
  const Value& hooks = tree.Get("webhooks");
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < hooks.size(); ++i) {
    const FieldPath path = webhooks.Index(i);
    const Value& hook = hooks.at(i);
    CheckWebhook(hook, lenient, path, errors);
    CheckReviewVersions(hook.Get("admissionReviewVersions"), lenient.review_versions,
                        path.Child("admissionReviewVersions"), errors);
    const std::string_view name = hook.Get("name").AsString();
    if (!lenient.names && !name.empty() && !names.insert(name).second)
      errors->Duplicate(path.Child("name"), name);
  }
}

// `updated` brings the same conditions (ignoreValidatingWebhookMatchConditions).
bool HasSameConditions(const Value& updated, const Value& old) {
  const Value& now = updated.Get("webhooks");
  const Value& before = old.Get("webhooks");
  if (now.size() != before.size()) return false;
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now.at(i).Get("matchConditions") != before.at(i).Get("matchConditions")) return false;
  return true;
}

Leniency LeniencyOf(const Value& updated, const Value& old) {
  Leniency lenient;
  lenient.conditions = HasSameConditions(updated, old);
  std::set<std::string_view> names;
  for (const Value& hook : old.Get("webhooks").items()) {
    if (!IsOneOf(hook.Get("sideEffects").AsString(), {"None", "NoneOnDryRun"}))
      lenient.side_effects = true;
    const Value& versions = hook.Get("admissionReviewVersions");
    if (!versions.empty() && !HasRecognizedVersion(versions)) lenient.review_versions = true;
    if (!names.insert(hook.Get("name").AsString()).second) lenient.names = true;
    for (const Value& condition : hook.Get("matchConditions").items())
      lenient.known.emplace(condition.Get("expression").AsString());
  }
  return lenient;
}

Value EditWebhooks(const Value& tree, Value (*edit)(const Value&)) {
  static const value::Atom kWebhooks("webhooks");
  return EditField(tree, kWebhooks, [&](const Value& hooks) { return EditItems(hooks, edit); });
}

}  // namespace

Value DefaultValidatingWebhooks(const Value& tree, Compat) {
  return EditWebhooks(tree, DefaultWebhook);
}

Value DefaultMutatingWebhooks(const Value& tree, Compat) {
  return EditWebhooks(tree, DefaultMutatingWebhook);
}

void CheckWebhooks(const Value& tree, FieldErrorList* errors) {
  CheckEachHook(tree, Leniency(), errors);
}

void CheckWebhooksUpdate(const Value& updated, const Value& old, FieldErrorList* errors) {
  CheckEachHook(updated, LeniencyOf(updated, old), errors);
}

std::vector<std::string> WebhookCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), std::to_string(o.tree().Get("webhooks").size()), cells::Age(o, now)};
}

std::vector<std::string> StaticNameWarnings(const Value& tree, Compat compat) {
  constexpr std::string_view kSuffix = ".static.k8s.io";
  const std::string_view name = tree.Get("metadata").Get("name").AsString();
  if (!ProfileOf(compat).warns_of_static_names || !name.ends_with(kSuffix)) return {};
  return {
      "metadata.name: names ending with \".static.k8s.io\" are reserved for static manifest-based "
      "configurations and cannot be managed via the API"};
}

}  // namespace ksim::api
