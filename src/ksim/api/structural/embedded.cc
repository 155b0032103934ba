#include "ksim/api/structural/embedded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/kinds.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/structural/field_place.h"
#include "ksim/api/structural/findings.h"

namespace ksim::api {

using value::Value;

namespace {

class EmbeddedWalk {
 public:
  explicit EmbeddedWalk(FieldErrorList* errors) : errors_(errors) {}

  void Walk(const SchemaNode& s, const Value& v, const FieldPath* at) {
    if (!s.any_embedded) return;
    if (s.embedded && at != nullptr && v.is_object()) CheckResource(v, *at);
    VisitBelow(s, v, at,
               [this](const SchemaNode& below, const Value& member, const FieldPath& path) {
                 Walk(below, member, &path);
               });
  }

 private:
  // validateEmbeddedResource
  void CheckResource(const Value& v, const FieldPath& at) {
    for (const char* field : {"apiVersion", "kind"})
      if (!v.Has(field))
        errors_->Required(at.Child(field), errors_->profile().definitions_worded_anew
                                               ? std::string_view()
                                               : "must not be empty");
    for (const char* field : {"apiVersion", "kind"})
      if (v.Has(field)) CheckText(v.Get(field), field, at.Child(field));
    if (v.Has("metadata")) CheckMetadata(v.Get("metadata"), at.Child("metadata"));
  }

  void CheckText(const Value& v, std::string_view field, const FieldPath& at) {
    if (!v.is_string()) {
      errors_->Add(
          "FieldValueInvalid",
          fmt::format("Invalid value: {}: must be a string", ShownValue(v, errors_->compat())),
          at.ToString());
      return;
    }
    const std::string_view text = v.AsString();
    if (text.empty()) return errors_->Invalid(at, text, "must not be empty");
    if (field == "apiVersion") {
      if (std::count(text.begin(), text.end(), '/') > 1)
        errors_->Invalid(at, text, fmt::format("unexpected GroupVersion string: {}", text));
      return;
    }
    const NameProblems problems = Dns1035Label(AsciiLower(text));
    if (!problems.empty())
      errors_->Invalid(at, text,
                       fmt::format("may have mixed case, but should otherwise match: {}",
                                   fmt::join(problems, ",")));
  }

  // The metadata's own errors, at their place in the whole object.
  void CheckMetadata(const Value& metadata, const FieldPath& at) {
    ResourceInfo kind;
    kind.custom = true;
    kind.namespaced = !metadata.Get("namespace").AsString().empty();
    Value named = metadata;
    if (named.Get("name").AsString().empty()) named = named.Set("name", Value::Of("fakename"));
    FieldErrorList own(errors_->compat());
    ValidateCommonMeta(kind, named, &own);
    constexpr std::string_view kMetadata = "metadata";
    for (StatusCause& cause : own.Take())
      errors_->Add(cause.reason, cause.message,
                   at.ToString() + cause.field.substr(kMetadata.size()));
  }

  FieldErrorList* errors_;
};

}  // namespace

void ValidateEmbedded(const SchemaNode& schema, const Value& object, FieldErrorList* errors) {
  EmbeddedWalk(errors).Walk(schema, object, nullptr);
}

void ValidateEmbeddedAt(const SchemaNode& schema, const Value& v, const FieldPath& at,
                        FieldErrorList* errors) {
  EmbeddedWalk(errors).Walk(schema, v, &at);
}

}  // namespace ksim::api
