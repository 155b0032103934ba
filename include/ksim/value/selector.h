// Label and field selectors as Kubernetes parses and evaluates them.
//
// Upstream: apimachinery pkg/labels/selector.go (Parse, Requirement.Matches),
// pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector), pkg/fields/selector.go (ParseSelector).
// Errors carry upstream's texts.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/value/value.h"

namespace ksim::value {

// A list of requirements on labels, all of which must hold. The default one selects everything.
class LabelSelector {
 public:
  enum class Operator : std::uint8_t {
    kIn,            // k in (a,b)
    kNotIn,         // k notin (a,b): also without k
    kEquals,        // k=v
    kDoubleEquals,  // k==v
    kNotEquals,     // k!=v: also without k
    kExists,        // k
    kDoesNotExist,  // !k
    kGreaterThan,   // k>n: both sides integers
    kLessThan,      // k<n
  };
  struct Requirement {
    Requirement() = default;
    Requirement(std::string_view k, Operator o, std::vector<std::string> v)
        : key(k), op(o), values(std::move(v)) {}
    bool Matches(const Value& labels) const;
    std::string ToString() const;
    Atom key;
    Operator op = Operator::kExists;
    std::vector<std::string> values;
  };

  LabelSelector() = default;
  static LabelSelector Everything() { return {}; }
  static LabelSelector Nothing();

  // The string form: "app=web,tier in (a,b),!canary". "" selects everything. InvalidArgument with
  // upstream's text for bad syntax, keys or values.
  static absl::StatusOr<LabelSelector> Parse(std::string_view text);

  // A metav1.LabelSelector: {matchLabels, matchExpressions}. Null selects nothing, an empty one
  // everything. InvalidArgument for what upstream refuses.
  static absl::StatusOr<LabelSelector> FromObject(const Value& selector);

  // A plain map: each key=value. Null or empty selects everything; nothing is validated.
  static LabelSelector FromSet(const Value& labels);

  bool Matches(const Value& labels) const;  // an object of strings, or null
  bool empty() const { return !nothing_ && requirements_.empty(); }  // selects everything
  bool selects_nothing() const { return nothing_; }
  // The canonical form: requirements sorted by key, the values of a set sorted.
  std::string ToString() const;
  // The one value that `key` must have, if the first requirement on it demands one.
  std::optional<std::string_view> RequiresExactMatch(std::string_view key) const;
  const std::vector<Requirement>& requirements() const { return requirements_; }

 private:
  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

// Tests on named fields of an object, all of which must hold:
// "spec.nodeName=,status.phase!=Failed". A field that is not set counts as "" (API-59). Which
// fields a kind has is not known here.
class FieldSelector {
 public:
  struct Term {
    Term() = default;
    Term(std::string_view f, bool n, std::string_view v) : field(f), negated(n), value(v) {}
    // `get` as for MatchesFields.
    template <class Get>
    bool Matches(Get&& get) const {
      return (get(field.text()) == value) != negated;
    }
    Atom field;
    bool negated = false;  // !=
    std::string value;
  };

  FieldSelector() = default;  // everything
  // Operators =, ==, !=. A backslash in a value keeps `\`, `,` and `=` as they are.
  static absl::StatusOr<FieldSelector> Parse(std::string_view text);

  // `get` tells a field's value as text: get(std::string_view field) -> comparable with
  // std::string.
  template <class Get>
  bool MatchesFields(Get&& get) const {
    for (const Term& t : terms_) {
      if (!t.Matches(get)) return false;
    }
    return true;
  }
  // The fields as paths into an object: metadata.name, spec.nodeName, involvedObject.kind.
  bool Matches(const Value& object) const;

  bool empty() const { return terms_.empty(); }
  std::string ToString() const;  // terms sorted, values escaped
  std::optional<std::string_view> RequiresExactMatch(std::string_view field) const;
  const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
};

// The errors that API validation finds in a label selector object, upstream's ValidateLabelSelector
// (apimachinery pkg/apis/meta/v1/validation). `field` is the path of the selector.
struct FieldProblem {
  FieldProblem() = default;
  FieldProblem(std::string_view r, std::string f, std::string b)
      : reason(r), field(std::move(f)), body(std::move(b)) {}
  std::string reason;  // FieldValueInvalid, FieldValueRequired, FieldValueForbidden
  std::string field;
  std::string body;  // field.Error's ErrorBody: `Invalid value: "x": ...`
};
std::vector<FieldProblem> ValidateLabelSelector(const Value& selector, std::string_view field);
std::vector<FieldProblem> ValidateLabels(const Value& labels, std::string_view field);

// Why a text is no label key, no label value; nothing if it is one (content.IsLabelKey,
// validation.IsValidLabelValue).
std::vector<std::string> LabelKeyProblems(std::string_view key);
std::vector<std::string> LabelValueProblems(std::string_view value);

}  // namespace ksim::value
