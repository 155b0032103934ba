#include "ksim/api/kinds/apiextensions/definition_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "ksim/api/core/timestamps.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

const Path kConditions{"status", "conditions"};
const Path kAccepted{"status", "acceptedNames"};
const Path kFinalizers{"metadata", "finalizers"};
const Path kDeletion{"metadata", "deletionTimestamp"};

const Value& FindDefinitionCondition(const Value& crd, std::string_view type) {
  static const Value none;
  for (const Value& c : crd.Get(kConditions).items())
    if (c.Get("type").AsString() == type) return c;
  return none;
}

// The names that others of the group have: of resources, and of kinds.
struct TakenNames {
  std::set<std::string_view> resources, kinds;
};

TakenNames NamesTaken(const Value& crd, const std::vector<Value>& all) {
  TakenNames taken;
  const std::string_view group = crd.Get("spec").Get("group").AsString();
  for (const Value& other : all) {
    if (other.Get("spec").Get("group").AsString() != group) continue;
    const Value& names = other.Get(kAccepted);
    for (const char* field : {"plural", "singular"})
      taken.resources.insert(names.Get(field).AsString());
    for (const Value& s : names.Get("shortNames").items()) taken.resources.insert(s.AsString());
    for (const char* field : {"kind", "listKind"}) taken.kinds.insert(names.Get(field).AsString());
  }
  return taken;
}

// The condition NamesAccepted of names that were asked for, and the names that result.
class NameJudge {
 public:
  NameJudge(const Value& crd, const std::vector<Value>& all)
      : taken_(NamesTaken(crd, all)),
        asked_(crd.Get("spec").Get("names")),
        had_(crd.Get(kAccepted)),
        names_(had_.is_object() ? had_ : Value::EmptyObject()) {
    Take("plural", "PluralConflict", taken_.resources);
    Take("singular", "SingularConflict", taken_.resources);
    TakeShortNames();
    Take("kind", "KindConflict", taken_.kinds);
    Take("listKind", "ListKindConflict", taken_.kinds);
    Put("categories", asked_.Get("categories"));
  }
  const Value& names() const { return names_; }
  bool accepted() const { return reason_.empty(); }
  DefinitionCondition condition() const {
    if (accepted()) return {"NamesAccepted", "True", "NoConflicts", "no conflicts found"};
    return {"NamesAccepted", "False", reason_, message_};
  }

 private:
  void Put(const char* field, const Value& v) {
    names_ = v.is_null() ? names_.Erase(field) : names_.Set(field, v);
  }
  void Refuse(std::string_view reason, std::string message) {
    reason_ = reason;
    message_ = std::move(message);
  }
  // equalToAcceptedOrFresh
  void Take(const char* field, std::string_view reason, const std::set<std::string_view>& taken) {
    const std::string_view name = asked_.Get(field).AsString();
    if (name != had_.Get(field).AsString() && taken.contains(name))
      return Refuse(reason, fmt::format("\"{}\" is already in use", name));
    Put(field, asked_.Get(field));
  }
  void TakeShortNames() {
    const Value& asked = asked_.Get("shortNames");
    const Value& had = had_.Get("shortNames");
    if (asked == had) return;
    std::vector<std::string> problems;
    for (const Value& name : asked.items()) {
      if (std::find(had.items().begin(), had.items().end(), name) != had.items().end()) continue;
      if (taken_.resources.contains(name.AsString()))
        problems.push_back(fmt::format("\"{}\" is already in use", name.AsString()));
    }
    if (problems.empty()) return Put("shortNames", asked);
    const std::string joined = fmt::format("{}", fmt::join(problems, ", "));
    Refuse("ShortNamesConflict", problems.size() == 1 ? joined : "[" + joined + "]");
  }

  TakenNames taken_;
  const Value& asked_;
  const Value& had_;
  Value names_;
  std::string_view reason_;
  std::string message_;
};

}  // namespace

Value WithCondition(const Value& crd, const DefinitionCondition& condition, VirtualTime now) {
  const Value& old = FindDefinitionCondition(crd, condition.type);
  const bool same = old.Get("status").AsString() == condition.status;
  const Value& since = old.Get("lastTransitionTime");
  const Value made =
      value::Obj({{"type", Value::Of(condition.type)},
                  {"status", Value::Of(condition.status)},
                  {"lastTransitionTime", same && !since.is_null() ? since : TimeValue(now)},
                  {"reason", Value::Of(condition.reason)},
                  {"message", Value::Of(condition.message)}});
  std::vector<Value> conditions;
  for (const Value& c : crd.Get(kConditions).items())
    conditions.push_back(c.Get("type").AsString() == condition.type ? made : c);
  if (old.is_null()) conditions.push_back(made);
  return crd.Set(kConditions, Value::Array(std::move(conditions)));
}

bool HasCondition(const Value& crd, const DefinitionCondition& condition) {
  const Value& old = FindDefinitionCondition(crd, condition.type);
  return old.Get("status").AsString() == condition.status &&
         old.Get("reason").AsString() == condition.reason &&
         old.Get("message").AsString() == condition.message;
}

bool IsConditionTrue(const Value& crd, std::string_view type) {
  return FindDefinitionCondition(crd, type).Get("status").AsString() == "True";
}

std::optional<Value> WithNames(const Value& crd, const std::vector<Value>& all, VirtualTime now) {
  if (crd.Get("spec").Get("names") == crd.Get(kAccepted)) return std::nullopt;
  const NameJudge judge(crd, all);
  const DefinitionCondition condition = judge.condition();
  if (judge.names() == crd.Get(kAccepted) && HasCondition(crd, condition)) return std::nullopt;
  Value next = WithCondition(crd.Set(kAccepted, judge.names()), condition, now);
  if (IsConditionTrue(crd, "Established")) return next;
  DefinitionCondition established{"Established", "False", "NotAccepted",
                                  "not all names are accepted"};
  if (judge.accepted())
    established = {"Established", "False", "Installing", "the initial names have been accepted"};
  const bool known = !FindDefinitionCondition(crd, "Established").is_null();
  if (known && !judge.accepted()) return next;
  return WithCondition(next, established, now);
}

bool WaitsForEstablishment(const Value& crd) {
  return IsConditionTrue(crd, "NamesAccepted") && !IsConditionTrue(crd, "Established");
}

Value Established(const Value& crd, VirtualTime now) {
  return WithCondition(
      crd, {"Established", "True", "InitialNamesAccepted", "the initial names have been accepted"},
      now);
}

Value MarkedForDeletion(const Value& crd, VirtualTime now) {
  Value next = crd;
  if (next.Get(kDeletion).is_null()) next = next.Set(kDeletion, TimeValue(now));
  bool there = false;
  for (const Value& f : next.Get(kFinalizers).items()) there |= f.AsString() == kCleanupFinalizer;
  if (!there)
    next = next.Set(kFinalizers, next.Get(kFinalizers).Append(Value::Of(kCleanupFinalizer)));
  return WithCondition(
      next,
      {"Terminating", "True", "InstanceDeletionPending",
       "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"},
      now);
}

bool WaitsForCleanup(const Value& crd) {
  if (crd.Get(kDeletion).is_null()) return false;
  const Value& finalizers = crd.Get(kFinalizers);
  return std::any_of(finalizers.items().begin(), finalizers.items().end(),
                     [](const Value& f) { return f.AsString() == kCleanupFinalizer; });
}

Value WithoutCleanup(const Value& crd) {
  std::vector<Value> kept;
  for (const Value& f : crd.Get(kFinalizers).items())
    if (f.AsString() != kCleanupFinalizer) kept.push_back(f);
  return kept.empty() ? crd.Erase(kFinalizers)
                      : crd.Set(kFinalizers, Value::Array(std::move(kept)));
}

}  // namespace ksim::api
