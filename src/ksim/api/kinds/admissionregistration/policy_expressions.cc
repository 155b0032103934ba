#include "ksim/api/kinds/admissionregistration/policy_expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "ksim/api/kinds/admissionregistration/match_conditions.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::size_t kMaxAnnotations = 20;
constexpr std::size_t kMaxAnnotationExpression = 5 * 1024;
constexpr std::string_view kSpaces = " \t\n\v\f\r";

std::string_view TrimmedPolicyText(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// isCELIdentifier
bool IsCelIdentifier(std::string_view name) {
  constexpr std::string_view kReserved[] = {
      "true",     "false",   "null",      "in",       "as",  "break",  "const",
      "continue", "else",    "for",       "function", "if",  "import", "let",
      "loop",     "package", "namespace", "return",   "var", "void",   "while"};
  const auto is_letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (name.empty() || !is_letter(name[0])) return false;
  const bool good = std::all_of(name.begin(), name.end(),
                                [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
  return good && std::find(std::begin(kReserved), std::end(kReserved), name) == std::end(kReserved);
}

KnownTexts TextsOf(const Value& list, const char* field) {
  KnownTexts texts;
  for (const Value& item : list.items()) texts.emplace(item.Get(field).AsString());
  return texts;
}

class PolicyExpressionRules {
 public:
  PolicyExpressionRules(const Value& policy, const Value& old_spec, FieldErrorList* errors)
      : spec_(policy.Get("spec")),
        name_(policy.Get("metadata").Get("name").AsString()),
        params_(!spec_.Get("paramKind").is_null()),
        known_conditions_(TextsOf(old_spec.Get("matchConditions"), "expression")),
        known_validations_(TextsOf(old_spec.Get("validations"), "expression")),
        known_messages_(TextsOf(old_spec.Get("validations"), "messageExpression")),
        known_annotations_(TextsOf(old_spec.Get("auditAnnotations"), "valueExpression")),
        compiler_(errors->compat(), params_, !spec_.Get("variables").empty()),
        errors_(errors) {}

  void Check(const Value& old_spec, const FieldPath& path) {
    // Conditions that are as they were are not looked at.
    const bool same = !old_spec.is_null() && spec_.Get("paramKind") == old_spec.Get("paramKind") &&
                      spec_.Get("matchConditions") == old_spec.Get("matchConditions");
    if (!same)
      CheckMatchConditions(spec_.Get("matchConditions"), params_, known_conditions_,
                           path.Child("matchConditions"), errors_);
    Each("variables", path, [this](const Value& v, const FieldPath& at) { CheckVariable(v, at); });
    if (spec_.Get("validations").empty() && spec_.Get("auditAnnotations").empty()) {
      for (const char* field : {"validations", "auditAnnotations"})
        errors_->Required(path.Child(field),
                          "validations or auditAnnotations must contain at least one item");
      return;
    }
    Each("validations", path,
         [this](const Value& v, const FieldPath& at) { CheckValidation(v, at); });
    const Value& annotations = spec_.Get("auditAnnotations");
    if (annotations.size() > kMaxAnnotations)
      errors_->Invalid(path.Child("auditAnnotations"), annotations, GoShape::kOther,
                       fmt::format("must not have more than {} auditAnnotations", kMaxAnnotations));
    Each("auditAnnotations", path,
         [this](const Value& v, const FieldPath& at) { CheckAnnotation(v, at); });
  }

 private:
  template <class F>
  void Each(const char* field, const FieldPath& path, F check) {
    const FieldPath list = path.Child(field);
    for (std::size_t i = 0; i < spec_.Get(field).size(); ++i)
      check(spec_.Get(field).at(i), list.Index(i));
  }
  std::string Worded(std::string_view field, std::string_view what) const {
    return errors_->profile().definitions_worded_anew ? std::string(what)
                                                      : fmt::format("{} {}", field, what);
  }

  void CheckVariable(const Value& variable, const FieldPath& at) {
    const std::string_view name = variable.Get("name").AsString();
    if (TrimmedPolicyText(name).empty()) {
      errors_->Required(at.Child("name"), "name is not specified");
    } else if (!IsCelIdentifier(name)) {
      errors_->Invalid(at.Child("name"), name,
                       errors_->profile().definitions_worded_anew
                           ? "must be a valid CEL identifier"
                           : "name is not a valid CEL identifier");
    }
    const std::string_view text = variable.Get("expression").AsString();
    if (TrimmedPolicyText(text).empty())
      return errors_->Required(at.Child("expression"), "expression is not specified");
    compiler_.AddVariable(std::string(name), text, known_validations_.contains(text),
                          at.Child("expression"), errors_);
  }

  void CheckValidation(const Value& validation, const FieldPath& at) {
    const std::string_view text = validation.Get("expression").AsString();
    if (TrimmedPolicyText(text).empty()) {
      errors_->Required(at.Child("expression"), "expression is not specified");
    } else {
      compiler_.Check(text, text, known_validations_.contains(text), true, {cel::BoolType()},
                      at.Child("expression"), errors_);
    }
    const std::string_view expression = validation.Get("messageExpression").AsString();
    if (!expression.empty() && TrimmedPolicyText(expression).empty()) {
      errors_->Invalid(at.Child("messageExpression"), expression, "must be non-empty if specified");
    } else if (!expression.empty()) {
      compiler_.Check(expression, expression, known_messages_.contains(expression), false,
                      {cel::StringType()}, at.Child("messageExpression"), errors_);
    }
    const std::string_view message = validation.Get("message").AsString();
    const std::string_view trimmed = TrimmedPolicyText(message);
    if (!message.empty() && trimmed.empty()) {
      errors_->Invalid(at.Child("message"), message,
                       Worded("message", "must be non-empty if specified"));
    } else if (trimmed.find_first_of("\n\r") != trimmed.npos) {
      errors_->Invalid(at.Child("message"), message,
                       Worded("message", "must not contain line breaks"));
    }
    const Value& reason = validation.Get("reason");
    if (!reason.is_null())
      ValidateChoice(reason.AsString(), false, at.Child("reason"),
                     {"Forbidden", "Invalid", "RequestEntityTooLarge"}, errors_);
  }

  void CheckAnnotation(const Value& annotation, const FieldPath& at) {
    const std::string_view key = annotation.Get("key").AsString();
    if (name_.empty()) {
      errors_->Invalid(at.Child("key"), key, "requires metadata.name be non-empty");
    } else {
      const std::string full = fmt::format("{}/{}", name_, key);
      errors_->InvalidAll(at.Child("key"), full, QualifiedName(full, errors_->compat()));
    }
    const std::string_view text = annotation.Get("valueExpression").AsString();
    const std::string_view trimmed = TrimmedPolicyText(text);
    if (trimmed.empty()) {
      errors_->Required(at.Child("valueExpression"), "valueExpression is not specified");
    } else if (trimmed.size() > kMaxAnnotationExpression) {
      errors_->Required(
          at.Child("valueExpression"),
          fmt::format("must not exceed {} bytes in length", kMaxAnnotationExpression));
    } else {
      compiler_.Check(trimmed, text, known_annotations_.contains(text), true,
                      {cel::StringType(), cel::NullType()}, at.Child("valueExpression"), errors_);
    }
    if (!keys_.insert(key).second) errors_->Duplicate(at.Child("key"), key);
  }

  const Value& spec_;
  const std::string_view name_;
  const bool params_;
  const KnownTexts known_conditions_, known_validations_, known_messages_, known_annotations_;
  AdmissionCompiler compiler_;
  std::set<std::string_view> keys_;
  FieldErrorList* errors_;
};

}  // namespace

void CheckPolicyExpressions(const Value& policy, const Value& old_spec, const FieldPath& path,
                            FieldErrorList* errors) {
  PolicyExpressionRules(policy, old_spec, errors).Check(old_spec, path);
}

}  // namespace ksim::api
