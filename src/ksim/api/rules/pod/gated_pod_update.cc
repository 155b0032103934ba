#include "ksim/api/rules/pod/gated_pod_update.h"

#include <fmt/format.h>

#include <string>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/tree_edit.h"

namespace ksim::api {

using value::Value;

namespace {

// Terms as Go prints them: as structs, or as JSON of the internal type, whose fields have Go's
// names (Profile::bad_values_as_json).
class TermText {
 public:
  explicit TermText(Compat compat) : compat_(compat), json_(ProfileOf(compat).bad_values_as_json) {}

  std::string Terms(const Value& terms) const {
    return List(terms, "core.NodeSelectorTerm", &TermText::Term);
  }
  std::string Term(const Value& term) const {
    return fmt::format(
        fmt::runtime(json_ ? "{{\"MatchExpressions\":{},\"MatchFields\":{}}}"
                           : "core.NodeSelectorTerm{{MatchExpressions:{}, MatchFields:{}}}"),
        List(term.Get(Fields().match_expressions), "core.NodeSelectorRequirement",
             &TermText::Requirement),
        List(term.Get(Fields().match_fields), "core.NodeSelectorRequirement",
             &TermText::Requirement));
  }

 private:
  std::string Requirement(const Value& e) const {
    const Value& values = e.Get("values");
    return fmt::format(
        fmt::runtime(json_ ? "{{\"Key\":{},\"Operator\":{},\"Values\":{}}}"
                           : "core.NodeSelectorRequirement{{Key:{}, Operator:{}, Values:{}}}"),
        GoQuote(e.Get("key").AsString()), GoQuote(e.Get("operator").AsString()),
        GoValue(values, GoShape::kStringSlice, compat_));
  }
  std::string List(const Value& list, std::string_view type,
                   std::string (TermText::*item)(const Value&) const) const {
    if (!list.is_array()) return json_ ? "null" : fmt::format("[]{}(nil)", type);
    std::string out;
    for (const Value& v : list.items()) {
      if (!out.empty()) out += json_ ? "," : ", ";
      out += (this->*item)(v);
    }
    return json_ ? fmt::format("[{}]", out) : fmt::format("[]{}{{{}}}", type, out);
  }

  Compat compat_;
  bool json_;  // as JSON with Go's names, else as Go's %#v
};

void RefuseTerms(const std::string& bad, const FieldPath& path, std::string_view detail,
                 FieldErrorList* errors) {
  errors->Add("FieldValueInvalid", fmt::format("Invalid value: {}: {}", bad, detail),
              path.ToString());
}

bool BeginsWith(const Value& list, const Value& beginning) {
  if (list.size() < beginning.size()) return false;
  for (std::size_t i = 0; i < beginning.size(); ++i) {
    if (list.at(i) != beginning.at(i)) return false;
  }
  return true;
}

// validateNodeSelectorTermHasOnlyAdditions.
bool OnlyAdds(const Value& term, const Value& old) {
  const Value& expressions = old.Get(Fields().match_expressions);
  const Value& fields = old.Get(Fields().match_fields);
  if (expressions.empty() && fields.empty()) {
    return term.Get(Fields().match_expressions).empty() && term.Get(Fields().match_fields).empty();
  }
  return BeginsWith(term.Get(Fields().match_expressions), expressions) &&
         BeginsWith(term.Get(Fields().match_fields), fields);
}

// validateNodeAffinityMutation.
void CheckAffinityAdditions(const Value& updated, const Value& old, FieldErrorList* errors) {
  const Value& old_terms = old.Get(Fields().required_during_scheduling_ignored_during_execution)
                               .Get(Fields().node_selector_terms);
  if (old_terms.empty()) return;
  const FieldPath spec("spec");
  const FieldPath affinity = spec.Child("affinity");
  const FieldPath node = affinity.Child("nodeAffinity");
  const FieldPath required =
      node.Child(Fields().required_during_scheduling_ignored_during_execution.text());
  const FieldPath list = required.Child("nodeSelectorTerms");
  const Value& terms = updated.Get(Fields().required_during_scheduling_ignored_during_execution)
                           .Get(Fields().node_selector_terms);
  const TermText text(errors->compat());
  if (terms.size() != old_terms.size()) {
    RefuseTerms(text.Terms(terms), list,
                "no additions/deletions to non-empty NodeSelectorTerms list are allowed", errors);
    return;
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (OnlyAdds(terms.at(i), old_terms.at(i))) continue;
    RefuseTerms(text.Term(terms.at(i)), list.Index(i),
                "only additions are allowed (no mutations or deletions)", errors);
  }
}

// validateNodeSelectorMutation.
void CheckSelectorAdditions(const Value& updated, const Value& old, FieldErrorList* errors) {
  for (const Value::Member& m : old.members()) {
    if (updated.Get(m.name) == m.value) continue;
    const FieldPath spec("spec");
    errors->Invalid(spec.Child("nodeSelector"), updated, GoShape::kStringMap,
                    "only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    return;
  }
}

// An affinity with the old node affinity put back.
Value WithNodeAffinityOf(const Value& affinity, const Value& old) {
  const Value& old_node = old.Get(Fields().node_affinity);
  if (affinity.is_null()) {
    return old_node.is_null() ? affinity : value::Obj({{"nodeAffinity", old_node}});
  }
  const bool only_node =
      affinity.Get("podAffinity").is_null() && affinity.Get("podAntiAffinity").is_null();
  if (old.is_null() && only_node) return Value();
  return SetOrErase(affinity, Fields().node_affinity, old_node);
}

}  // namespace

Value TakeSteeringBack(Value munged, const Value& old, FieldErrorList* errors) {
  if (!errors->profile().pod_scheduling_readiness || old.Get(Fields().scheduling_gates).empty())
    return munged;
  const Value& selector = old.Get(Fields().node_selector);
  if (munged.Get(Fields().node_selector) != selector) {
    CheckSelectorAdditions(munged.Get(Fields().node_selector), selector, errors);
    munged = SetOrErase(std::move(munged), Fields().node_selector, selector);
  }
  const Value affinity = munged.Get(Fields().affinity);
  const Value& old_affinity = old.Get(Fields().affinity);
  const Value& old_node = old_affinity.Get(Fields().node_affinity);
  if (affinity.Get(Fields().node_affinity) == old_node) return munged;
  CheckAffinityAdditions(affinity.Get(Fields().node_affinity), old_node, errors);
  return SetOrErase(std::move(munged), Fields().affinity,
                    WithNodeAffinityOf(affinity, old_affinity));
}

}  // namespace ksim::api
