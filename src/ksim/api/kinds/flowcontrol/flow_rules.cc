#include "ksim/api/kinds/flowcontrol/flow_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/shared/pod_template.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

// Go's zero counts as not given.
Value WithNonZero(Value v, std::string_view field, int fallback) {
  if (v.Get(field).AsInt() != 0) return v;
  return std::move(v).Set(field, Value::Of(fallback));
}

Value WithNumber(Value v, std::string_view field, int fallback) {
  if (!v.Get(field).is_null()) return v;
  return std::move(v).Set(field, Value::Of(fallback));
}

// PriorityLevelPreserveZeroConcurrencySharesKey
constexpr std::string_view kKeepsZeroShares =
    "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

bool KeepsZeroShares(const Value& tree) {
  return tree.Get(Fields().metadata).Get(Fields().annotations).Has(kKeepsZeroShares);
}

// Whether a level may ask for no shares: from v1 on, and in v1beta3 with the annotation.
bool ZeroCounts(const Value& tree) {
  const std::string_view version = tree.Get(Fields().api_version).AsString();
  return version.find("/v1beta") == version.npos || KeepsZeroShares(tree);
}

// The field of a version: v1beta2 has it under its old name, and nothing is lent there.
std::string_view SharesField(const Value& tree) {
  const bool beta = tree.Get(Fields().api_version).AsString().ends_with("/v1beta2");
  return beta ? "assuredConcurrencyShares" : "nominalConcurrencyShares";
}

Value DefaultQueuing(const Value& queuing) {
  Value v = WithNonZero(queuing, "handSize", 8);
  v = WithNonZero(std::move(v), "queues", 64);
  return WithNonZero(std::move(v), "queueLengthLimit", 50);
}

// `zero_counts`: no shares are what was asked for.
Value DefaultLimited(const Value& limited, std::string_view shares, bool zero_counts) {
  const bool lends = shares == "nominalConcurrencyShares";
  Value v = zero_counts ? WithNumber(limited, shares, 30) : WithNonZero(limited, shares, 30);
  if (lends) v = WithNumber(std::move(v), "lendablePercent", 0);
  static const value::Path kQueuing{"limitResponse", "queuing"};
  const Value queuing = v.Get(kQueuing);
  return queuing.is_null() ? v : v.Set(kQueuing, DefaultQueuing(queuing));
}

bool HasWildcard(const Value& list) {
  return std::any_of(list.items().begin(), list.items().end(),
                     [](const Value& v) { return v.AsString() == "*"; });
}

// A list of texts that has at least one and, if it has `*`, nothing else. Returns whether the texts
// are to be looked at one by one.
bool CheckList(const Value& list, const FieldPath& path, std::string_view missing,
               std::string_view others, FieldErrorList* errors) {
  if (list.empty()) {
    errors->Required(path, missing);
    return false;
  }
  if (!HasWildcard(list)) return true;
  if (list.size() > 1)
    errors->Invalid(path, list, GoShape::kStringSlice,
                    fmt::format("if '*' is present, must not specify other {}", others));
  return false;
}

void CheckVerbs(const Value& rule, const FieldPath& path, FieldErrorList* errors) {
  static const std::set<std::string_view> known = {
      "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"};
  const Value& verbs = rule.Get("verbs");
  const FieldPath at = path.Child("verbs");
  if (!CheckList(verbs, at, "verbs must contain at least one value", "verbs", errors)) return;
  const bool all = std::all_of(verbs.items().begin(), verbs.items().end(),
                               [](const Value& v) { return known.contains(v.AsString()); });
  if (!all)
    errors->NotSupported(at, GoValue(verbs, GoShape::kStringSlice, errors->compat()),
                         {"create", "delete", "deletecollection", "get", "list", "patch", "proxy",
                          "update", "watch"});
}

// ValidateNonResourceURLPath
std::string UrlProblem(std::string_view url) {
  if (url.empty()) return "must not be empty";
  if (url == "/") return "";
  if (!url.starts_with('/')) return "must start with slash";
  if (url.find(' ') != url.npos) return "must not contain white-space";
  if (url.find("//") != url.npos) return "must not contain double slash";
  const auto stars = std::count(url.begin(), url.end(), '*');
  if (stars > 1 || (stars == 1 && !url.ends_with("/*")))
    return "wildcard can only do suffix matching";
  return "";
}

void CheckNonResourceRule(const Value& rule, const FieldPath& path, FieldErrorList* errors) {
  CheckVerbs(rule, path, errors);
  const Value& urls = rule.Get("nonResourceURLs");
  const FieldPath at = path.Child("nonResourceURLs");
  if (!CheckList(urls, at, "nonResourceURLs must contain at least one value", "non-resource URLs",
                 errors))
    return;
  for (std::size_t i = 0; i < urls.size(); ++i) {
    const std::string problem = UrlProblem(urls.at(i).AsString());
    if (!problem.empty()) errors->Invalid(at.Index(i), urls.at(i).AsString(), problem);
  }
}

void CheckResourceRule(const Value& rule, const FieldPath& path, FieldErrorList* errors) {
  CheckVerbs(rule, path, errors);
  CheckList(rule.Get("apiGroups"), path.Child("apiGroups"),
            "resource rules must supply at least one api group", "api groups", errors);
  CheckList(rule.Get("resources"), path.Child("resources"),
            "resource rules must supply at least one resource", "resources", errors);
  const Value& namespaces = rule.Get("namespaces");
  const FieldPath at = path.Child("namespaces");
  if (namespaces.empty() && rule.Get("clusterScope").AsBool()) return;
  if (!CheckList(namespaces, at,
                 "resource rules that are not cluster scoped must supply at least one namespace",
                 "namespaces", errors))
    return;
  for (std::size_t i = 0; i < namespaces.size(); ++i) {
    const std::string_view name = namespaces.at(i).AsString();
    for (const std::string& problem : Dns1123Label(name, errors->compat()))
      errors->Invalid(at.Index(i), name,
                      "each member of this list must be '*' or a DNS-1123 label; " + problem);
  }
}

void CheckServiceAccount(const Value& account, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view name = account.Get(Fields().name).AsString();
  const std::string_view ns = account.Get(Fields().namespace_).AsString();
  if (name.empty()) {
    errors->Required(path.Child("name"));
  } else if (name != "*") {
    errors->InvalidAll(path.Child("name"), name, Dns1123Subdomain(name));
  }
  if (ns.empty()) {
    errors->Required(path.Child("namespace"), "must specify namespace for service account");
  } else {
    errors->InvalidAll(path.Child("namespace"), ns, Dns1123Label(ns, errors->compat()));
  }
}

struct SubjectKind {
  std::string_view kind, field;
};
constexpr SubjectKind kSubjects[] = {
    {"ServiceAccount", "serviceAccount"}, {"User", "user"}, {"Group", "group"}};

void CheckSubject(const Value& subject, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view kind = subject.Get(Fields().kind).AsString();
  const auto* const own = std::find_if(std::begin(kSubjects), std::end(kSubjects),
                                       [kind](const SubjectKind& s) { return s.kind == kind; });
  if (own == std::end(kSubjects))
    return errors->NotSupported(path.Child("kind"), kind, {"Group", "ServiceAccount", "User"});
  const Value& named = subject.Get(own->field);
  const FieldPath at = path.Child(own->field);
  if (named.is_null()) {
    errors->Required(
        at, fmt::format("{} is required when subject kind is '{}'", own->field, own->kind));
  } else if (own->kind == "ServiceAccount") {
    CheckServiceAccount(named, at, errors);
  } else if (named.Get(Fields().name).AsString().empty()) {
    errors->Required(at.Child("name"));
  }
  for (const char* field : {"serviceAccount", "user", "group"}) {
    if (field == own->field || subject.Get(field).is_null()) continue;
    const auto* const other = std::find_if(std::begin(kSubjects), std::end(kSubjects),
                                           [&](const SubjectKind& s) { return s.field == field; });
    errors->Forbidden(
        path.Child(field),
        fmt::format("{} is forbidden when subject kind is not '{}'", field, other->kind));
  }
}

void CheckRule(const Value& rule, const FieldPath& path, FieldErrorList* errors) {
  const FieldPath subjects = path.Child("subjects");
  if (rule.Get("subjects").empty())
    errors->Required(subjects, "subjects must contain at least one value");
  for (std::size_t i = 0; i < rule.Get("subjects").size(); ++i)
    CheckSubject(rule.Get("subjects").at(i), subjects.Index(i), errors);
  const Value& resources = rule.Get("resourceRules");
  const Value& others = rule.Get("nonResourceRules");
  if (resources.empty() && others.empty())
    errors->Required(path,
                     "at least one of resourceRules and nonResourceRules has to be non-empty");
  const FieldPath resource_path = path.Child("resourceRules");
  for (std::size_t i = 0; i < resources.size(); ++i)
    CheckResourceRule(resources.at(i), resource_path.Index(i), errors);
  const FieldPath other_path = path.Child("nonResourceRules");
  for (std::size_t i = 0; i < others.size(); ++i)
    CheckNonResourceRule(others.at(i), other_path.Index(i), errors);
}

void CheckPercent(const Value& limited, const FieldPath& path, FieldErrorList* errors) {
  const Value& percent = limited.Get("lendablePercent");
  if (!percent.is_null() && (percent.AsInt() < 0 || percent.AsInt() > 100))
    errors->Invalid(path.Child("lendablePercent"), percent.AsInt(),
                    "must be between 0 and 100, inclusive");
}

void CheckQueuing(const Value& queuing, const FieldPath& path, FieldErrorList* errors) {
  constexpr std::int64_t kMostQueues = 10'000'000;
  const std::int64_t queues = queuing.Get("queues").AsInt();
  const std::int64_t hand = queuing.Get("handSize").AsInt();
  const std::int64_t length = queuing.Get("queueLengthLimit").AsInt();
  if (length <= 0) errors->Invalid(path.Child("queueLengthLimit"), length, "must be positive");
  if (queues <= 0) {
    errors->Invalid(path.Child("queues"), queues, "must be positive");
  } else if (queues > kMostQueues) {
    errors->Invalid(path.Child("queues"), queues,
                    fmt::format("must not be greater than {}", kMostQueues));
  }
  if (hand <= 0) {
    errors->Invalid(path.Child("handSize"), hand, "must be positive");
  } else if (hand > queues) {
    errors->Invalid(path.Child("handSize"), hand,
                    fmt::format("should not be greater than queues ({})", queues));
  }
}

void CheckLimitResponse(const Value& response, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view type = response.Get(Fields().type).AsString();
  const Value& queuing = response.Get("queuing");
  const FieldPath at = path.Child("queuing");
  if (type == "Reject") {
    if (!queuing.is_null())
      errors->Forbidden(at, "must be nil if limited.limitResponse.type is not Limited");
  } else if (type == "Queue") {
    if (queuing.is_null()) {
      errors->Required(at, "must not be empty if limited.limitResponse.type is Limited");
    } else {
      CheckQueuing(queuing, at, errors);
    }
  } else {
    ValidateChoice(type, true, path.Child("type"), {"Queue", "Reject"}, errors);
  }
}

void CheckLimited(const Value& limited, std::string_view shares, const FieldPath& path,
                  FieldErrorList* errors) {
  const std::int64_t given = limited.Get(shares).AsInt();
  if (shares == "assuredConcurrencyShares") {
    if (given <= 0) errors->Invalid(path.Child(shares), given, "must be positive");
  } else if (given < 0) {
    errors->Invalid(path.Child(shares), given, "must be a non-negative integer");
  }
  CheckLimitResponse(limited.Get("limitResponse"), path.Child("limitResponse"), errors);
  CheckPercent(limited, path, errors);
  const Value& borrowed = limited.Get("borrowingLimitPercent");
  if (!borrowed.is_null() && borrowed.AsInt() < 0)
    errors->Invalid(path.Child("borrowingLimitPercent"), borrowed.AsInt(),
                    "if specified, must be a non-negative integer");
}

std::string_view NameOf(const Value& tree) {
  return tree.Get(Fields().metadata).Get(Fields().name).AsString();
}

}  // namespace

Value DefaultFlowSchema(const Value& tree, Compat) {
  return EditSpec(tree,
                  [](const Value& spec) { return WithNonZero(spec, "matchingPrecedence", 1000); });
}

Value DefaultPriorityLevel(const Value& tree, Compat) {
  return EditSpec(tree, [&](const Value& s) {
    Value spec = s;
    const Value limited = spec.Get("limited"), exempt = spec.Get("exempt");
    if (limited.is_object())
      spec = std::move(spec).Set("limited",
                                 DefaultLimited(limited, SharesField(tree), ZeroCounts(tree)));
    if (exempt.is_object())
      spec = std::move(spec).Set(
          "exempt",
          WithNumber(WithNumber(exempt, "nominalConcurrencyShares", 0), "lendablePercent", 0));
    return spec;
  });
}

void ValidateFlowSchema(const Value& tree, FieldErrorList* errors) {
  constexpr std::int64_t kGreatest = 10000;
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  const std::int64_t precedence = spec.Get("matchingPrecedence").AsInt();
  const FieldPath at = path.Child("matchingPrecedence");
  if (precedence <= 0) errors->Invalid(at, precedence, "must be a positive value");
  if (precedence > kGreatest)
    errors->Invalid(at, precedence, fmt::format("must not be greater than {}", kGreatest));
  if (precedence == 1 && NameOf(tree) != "exempt")
    errors->Invalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  const Value& method = spec.Get("distinguisherMethod");
  const std::string_view by = method.Get(Fields().type).AsString();
  if (!method.is_null() && by != "ByUser" && by != "ByNamespace") {
    const FieldPath method_path = path.Child("distinguisherMethod");
    errors->NotSupported(method_path.Child("type"), by, {"ByNamespace", "ByUser"});
  }
  const std::string_view level =
      spec.Get("priorityLevelConfiguration").Get(Fields().name).AsString();
  const FieldPath reference = path.Child("priorityLevelConfiguration");
  if (level.empty()) {
    errors->Required(reference.Child("name"), "must reference a priority level");
  } else {
    errors->InvalidAll(reference.Child("name"), level, Dns1123Subdomain(level));
  }
  const FieldPath rules = path.Child("rules");
  for (std::size_t i = 0; i < spec.Get("rules").size(); ++i)
    CheckRule(spec.Get("rules").at(i), rules.Index(i), errors);
}

void ValidatePriorityLevel(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("spec");
  const Value& spec = tree.Get(Fields().spec);
  const std::string_view type = spec.Get(Fields().type).AsString();
  const Value& limited = spec.Get("limited");
  const Value& exempt = spec.Get("exempt");
  if ((NameOf(tree) == "exempt") != (type == "Exempt"))
    errors->Invalid(path.Child("type"), type, "must be 'Exempt' if and only if `name` is 'exempt'");
  const FieldPath exempt_path = path.Child("exempt");
  const FieldPath limited_path = path.Child("limited");
  if (type == "Exempt") {
    if (!limited.is_null())
      errors->Forbidden(limited_path, "must be nil if the type is not Limited");
    const std::int64_t shares = exempt.Get("nominalConcurrencyShares").AsInt();
    if (shares < 0)
      errors->Invalid(exempt_path.Child("nominalConcurrencyShares"), shares,
                      "must be a non-negative integer");
    CheckPercent(exempt, exempt_path, errors);
  } else if (type == "Limited") {
    if (!exempt.is_null()) errors->Forbidden(exempt_path, "must be nil if the type is Limited");
    if (limited.is_null()) {
      errors->Required(limited_path, "must not be empty when type is Limited");
    } else {
      CheckLimited(limited, SharesField(tree), limited_path, errors);
    }
  } else {
    ValidateChoice(type, true, path.Child("type"), {"Exempt", "Limited"}, errors);
  }
}

void ValidateFlowStatus(const Value& tree, FieldErrorList* errors) {
  const FieldPath path("status");
  const FieldPath list = path.Child("conditions");
  const Value& conditions = tree.Get(Fields().status).Get(Fields().conditions);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = list.Index(i);
    const std::string_view type = conditions.at(i).Get(Fields().type).AsString();
    if (!seen.insert(type).second) errors->Duplicate(at.Child("type"), type);
    if (type.empty()) errors->Required(at.Child("type"));
  }
}

Value FlowToV1(const Value& beta3) {
  Value tree = beta3.Set(Fields().api_version, Value::Of("flowcontrol.apiserver.k8s.io/v1"));
  if (!KeepsZeroShares(tree)) return tree;
  return EditField(std::move(tree), Fields().metadata, [](const Value& metadata) {
    const Value kept = metadata.Get(Fields().annotations).Erase(kKeepsZeroShares);
    return SetOrErase(metadata, Fields().annotations, kept.empty() ? Value() : kept);
  });
}

Value FlowToBeta3(const Value& v1) {
  Value tree = v1.Set(Fields().api_version, Value::Of("flowcontrol.apiserver.k8s.io/v1beta3"));
  const Value& limited = tree.Get(Fields().spec).Get("limited");
  if (limited.is_null() || limited.Get("nominalConcurrencyShares").AsInt() != 0) return tree;
  return EditField(std::move(tree), Fields().metadata, [](const Value& metadata) {
    const Value& old = metadata.Get(Fields().annotations);
    const Value annotations = old.is_null() ? Value::EmptyObject() : old;
    return metadata.Set(Fields().annotations, annotations.Set(kKeepsZeroShares, Value::Of("")));
  });
}

}  // namespace ksim::api
