#include "ksim/api/rules/pod/label_keys.h"

#include <algorithm>

#include "ksim/api/core/fields.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

bool HasKey(const Value& list, const Value& item) {
  const auto items = list.items();
  return std::find(items.begin(), items.end(), item) != items.end();
}

// validateLabelKeys.
void CheckLabelKeys(const Value& keys, const Value& selector, const FieldPath& path,
                    FieldErrorList* errors) {
  if (keys.empty()) return;
  if (selector.is_null()) {
    errors->Forbidden(path, "must not be specified when labelSelector is not set");
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ValidateLabelName(keys.at(i).AsString(), path.Index(i), errors);
  }
}

}  // namespace

// ValidateLabelName.
void ValidateLabelName(std::string_view name, const FieldPath& path, FieldErrorList* errors) {
  errors->InvalidAll(path, name, QualifiedName(name, errors->compat()));
}

// ValidateMatchLabelKeysAndMismatchLabelKeys. A key may be in the selector once: the server itself
// adds it there.
void ValidateLabelKeys(const Value& term, const FieldPath& path, FieldErrorList* errors) {
  const Value& match = term.Get(Fields().match_label_keys);
  const Value& mismatch = term.Get(Fields().mismatch_label_keys);
  const Value& selector = term.Get(Fields().label_selector);
  CheckLabelKeys(match, selector, path.Child("matchLabelKeys"), errors);
  CheckLabelKeys(mismatch, selector, path.Child("mismatchLabelKeys"), errors);
  const Value& expressions = selector.Get(Fields().match_expressions);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const Value& key = expressions.at(i).Get(Fields().key);
    if (!HasKey(match, key)) continue;
    bool before = selector.Get(Fields().match_labels).Has(key.AsString());
    for (std::size_t j = 0; j < i; ++j)
      before = before || expressions.at(j).Get(Fields().key) == key;
    if (!before) continue;
    std::size_t at = 0;
    for (std::size_t j = 0; j < match.size(); ++j) at = match.at(j) == key ? j : at;
    errors->Invalid(path.Index(at), key.AsString(),
                    "exists in both matchLabelKeys and labelSelector");
  }
  const FieldPath list = path.Child("matchLabelKeys");
  for (std::size_t i = 0; i < match.size(); ++i) {
    if (!HasKey(mismatch, match.at(i))) continue;
    errors->Invalid(list.Index(i), match.at(i).AsString(),
                    "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

}  // namespace ksim::api
