#include "ksim/apiserver/admission/policy/evaluate.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/apiserver/admission/webhook/conditions.h"

namespace ksim::apiserver {

using value::Value;

namespace {

constexpr std::size_t kMaxMessage = 5 * 1024;  // MaxEvaluatedMessageExpressionSizeBytes

std::string TrimmedText(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(kBlanks) - first + 1));
}

// One evaluation of a policy's expressions.
class PolicyJudge {
 public:
  PolicyJudge(const Policy& policy, const cel::AdmissionInput& input)
      : policy_(policy), input_(input) {}

  PolicyVerdict Judge() {
    std::int64_t budget = cel::kRuntimeCostBudget;
    std::vector<cel::AdmissionValue> values;
    {
      cel::AdmissionRun run(policy_.expressions, input_, budget);
      for (const PolicyValidation& v : policy_.validations) {
        values.push_back(run.Evaluate(v.expression));
        if (!run.problem().empty()) return Failed(run.problem());
      }
      budget = run.budget();
    }
    std::string message_problem;
    const std::vector<std::string> messages = EvaluateMessages(budget, &message_problem);
    PolicyVerdict verdict;
    for (std::size_t i = 0; i < values.size(); ++i)
      verdict.decisions.push_back(Decide(i, values[i], messages[i], message_problem));
    cel::AdmissionRun run(policy_.expressions, input_, cel::kRuntimeCostBudget);
    for (const PolicyAnnotation& annotation : policy_.annotations) {
      const cel::AdmissionValue value = run.Evaluate(annotation.value);
      if (!run.problem().empty()) return Failed(run.problem());
      verdict.notes.push_back(NoteOf(annotation, value));
    }
    return verdict;
  }

  PolicyVerdict Failed(std::string message) const {
    PolicyVerdict verdict;
    PolicyDecision& decision = verdict.decisions.emplace_back();
    decision.denies = !policy_.ignores_failures;
    decision.message = std::move(message);
    return verdict;
  }

 private:
  // The texts of messageExpressions; an empty one: there is none that can be shown.
  std::vector<std::string> EvaluateMessages(std::int64_t budget, std::string* problem) {
    std::vector<std::string> messages(policy_.validations.size());
    cel::AdmissionInput input = input_;
    input.authorizer = input.resource_check = cel::Val();
    cel::AdmissionRun run(policy_.expressions, input, budget);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const auto& expression = policy_.validations[i].message_expression;
      if (!expression.has_value()) continue;
      const cel::AdmissionValue value = run.Evaluate(*expression);
      if (!run.problem().empty()) {
        *problem = run.problem();
        break;
      }
      if (!value.error.empty() || !value.value.is_string()) continue;
      std::string text = TrimmedText(value.value.AsText());
      if (text.size() <= kMaxMessage && text.find('\n') == std::string::npos)
        messages[i] = std::move(text);
    }
    return messages;
  }

  PolicyDecision Decide(std::size_t i, const cel::AdmissionValue& value, const std::string& message,
                        const std::string& message_problem) const {
    const PolicyValidation& validation = policy_.validations[i];
    PolicyDecision decision;
    if (!value.error.empty() || !message_problem.empty()) {
      decision.denies = !policy_.ignores_failures;
      decision.message = !value.error.empty()
                             ? value.error
                             : fmt::format("failed messageExpression: {}", message_problem);
      return decision;
    }
    if (value.value.is_true()) return decision;
    decision.denies = true;
    decision.reason = validation.reason.empty() ? "Invalid" : validation.reason;
    decision.message = message;
    if (decision.message.empty()) decision.message = TrimmedText(validation.message);
    if (decision.message.empty())
      decision.message =
          fmt::format("failed expression: {}", TrimmedText(validation.expression.expression));
    return decision;
  }

  PolicyVerdict::Note NoteOf(const PolicyAnnotation& annotation,
                             const cel::AdmissionValue& value) const {
    PolicyVerdict::Note note;
    note.key = annotation.key;
    if (!value.error.empty()) {
      if (!policy_.ignores_failures) note.error = value.error;
    } else if (value.value.is_string()) {
      note.value = TrimmedText(value.value.AsText());
    }
    return note;
  }

  const Policy& policy_;
  const cel::AdmissionInput& input_;
};

}  // namespace

PolicyVerdict JudgeByPolicy(const Policy& policy, const cel::AdmissionInput& input,
                            const Value& namespace_object) {
  cel::AdmissionInput full = input;
  const ConditionsResult conditions =
      JudgeConditions(policy.expressions, policy.conditions, policy.ignores_failures, input);
  if (!conditions.error.empty()) return PolicyJudge(policy, full).Failed(conditions.error);
  if (!conditions.match) return PolicyVerdict();
  full.namespace_object = cel::FromTree(namespace_object);
  return PolicyJudge(policy, full).Judge();
}

Value NamespaceObjectOf(const Value& namespace_tree) {
  Value shown = namespace_tree;
  for (const char* field : {"managedFields", "ownerReferences", "selfLink"})
    shown = shown.Erase(*value::Path::Parse(fmt::format("metadata.{}", field)));
  for (const char* field : {"apiVersion", "kind"}) shown = shown.Erase(*value::Path::Parse(field));
  return shown;
}

}  // namespace ksim::apiserver
