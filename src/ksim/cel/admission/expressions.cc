#include "ksim/cel/admission/expressions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/cel/admission/types.h"
#include "ksim/cel/values/go_text.h"
#include "ksim/value/text.h"

namespace ksim::cel {
namespace {

constexpr char kVariablesType[] = "kubernetes.variables";

// A variable's type as others see it: what is not plain is dyn.
TypePtr SeenType(const AdmissionProgram& variable) {
  if (!variable.program.has_value()) return DynType();
  const TypePtr& type = variable.program->type();
  switch (type->kind) {
    case TypeKind::kStruct:
    case TypeKind::kOpaque:
    case TypeKind::kType:
    case TypeKind::kTypeParam:
    case TypeKind::kError:
      return DynType();
    default:
      return type;
  }
}

// types.Type.String, which the checker's own messages do not use.
std::string GoTypeText(const Type& type) {
  std::string text = type.name;
  for (std::size_t i = 0; i < type.params.size(); ++i)
    text += (i == 0 ? "(" : ", ") + GoTypeText(*type.params[i]);
  return type.params.empty() ? text : text + ")";
}

// mustBeOfType; `tells`: which type it is instead.
std::string TypeProblem(const Type& type, const std::vector<TypePtr>& returns, bool tells) {
  for (const TypePtr& wanted : returns)
    if (SameType(*wanted, type)) return "";
  const std::string found = tells ? " but got " + GoTypeText(type) : "";
  if (returns.size() == 1) return "must evaluate to " + GoTypeText(*returns[0]) + found;
  std::string all;
  for (const TypePtr& wanted : returns) all += (all.empty() ? "" : " ") + GoTypeText(*wanted);
  return "must evaluate to one of [" + all + "]" + found;
}

}  // namespace

// The variable named variables: each is evaluated when it is first asked for.
class LazyVariables final : public MapNode {
 public:
  LazyVariables(const AdmissionExpressions& expressions, const Activation& activation)
      : expressions_(expressions), activation_(activation) {}
  std::size_t size() const override { return expressions_.variables_.size(); }
  Val key(std::size_t i) const override { return Val::String(At(i)->first); }
  Val value(std::size_t i) const override { return *Find(key(i)); }
  std::optional<Val> Find(const Val& key) const override {
    if (!key.is_string()) return std::nullopt;
    const std::string name(key.AsText());
    const auto known = values_.find(name);
    if (known != values_.end()) return known->second;
    const auto variable = expressions_.variables_.find(name);
    if (variable == expressions_.variables_.end()) return std::nullopt;
    return values_[name] = Evaluate(name, variable->second);
  }
  std::uint64_t TakeCost() { return std::exchange(cost_, 0); }

 private:
  std::map<std::string, AdmissionProgram, std::less<>>::const_iterator At(std::size_t i) const {
    return std::next(expressions_.variables_.begin(), static_cast<std::ptrdiff_t>(i));
  }
  Val Evaluate(const std::string& name, const AdmissionProgram& variable) const {
    const std::string quoted = value::GoQuote(name);
    if (!variable.program.has_value())
      return Val::Error("composited variable " + quoted + " fails to compile: " + variable.error);
    const Evaluation e = variable.program->Evaluate(activation_);
    cost_ += e.cost;
    if (!e.value.is_error()) return e.value;
    return Val::Error("composited variable " + quoted +
                      " fails to evaluate: " + std::string(e.value.message()));
  }

  const AdmissionExpressions& expressions_;
  const Activation& activation_;
  mutable std::map<std::string, Val> values_;
  mutable std::uint64_t cost_ = 0;
};

AdmissionExpressions::AdmissionExpressions(const EnvironmentOptions& options, bool params,
                                           bool composed)
    : tells_type_found_(options.tells_type_found), base_(options) {
  base_.DeclareVariable("object", DynType());
  base_.DeclareVariable("oldObject", DynType());
  base_.DeclareVariable("namespaceObject", StructType("kubernetes.Namespace"));
  base_.DeclareVariable("request", StructType("kubernetes.AdmissionRequest"));
  if (params) base_.DeclareVariable("params", DynType());
  if (composed) base_.DeclareVariable("variables", StructType(kVariablesType));
}

AdmissionProgram AdmissionExpressions::Compile(std::string_view text, bool authorizer,
                                               const std::vector<TypePtr>& returns) const {
  AdmissionProgram compiled;
  compiled.expression = text;
  Environment env = base_;
  if (authorizer) {
    env.DeclareVariable("authorizer", StructType("kubernetes.authorization.Authorizer"));
    env.DeclareVariable("authorizer.requestResource",
                        StructType("kubernetes.authorization.ResourceCheck"));
  }
  std::set<std::string, std::less<>> types = AdmissionTypes();
  types.insert(kVariablesType);
  env.SetFieldTypes(
      [this](std::string_view type, std::string_view field) -> TypePtr {
        if (type != kVariablesType) return AdmissionFieldType(type, field);
        const auto found = variables_.find(field);
        return found == variables_.end() ? nullptr : SeenType(found->second);
      },
      std::move(types));
  absl::StatusOr<Program> program = env.Compile(text);
  if (!program.ok()) {
    compiled.internal = absl::IsFailedPrecondition(program.status());
    compiled.error =
        (compiled.internal ? "program instantiation failed: " : "compilation failed: ") +
        std::string(Message(program.status()));
    return compiled;
  }
  if (!returns.empty()) compiled.error = TypeProblem(*program->type(), returns, tells_type_found_);
  if (compiled.error.empty()) compiled.program = *std::move(program);
  return compiled;
}

const AdmissionProgram& AdmissionExpressions::AddVariable(const std::string& name,
                                                          std::string_view text) {
  AdmissionProgram compiled = Compile(text, true, {});
  return variables_[name] = std::move(compiled);
}

AdmissionRun::AdmissionRun(const AdmissionExpressions& expressions, const AdmissionInput& input,
                           std::int64_t budget)
    : budget_(budget) {
  activation_ = [this, &input](std::string_view name) -> std::optional<Val> {
    if (name == "object") return input.object;
    if (name == "oldObject") return input.old_object;
    if (name == "params") return input.params;
    if (name == "request") return input.request;
    if (name == "namespaceObject") return input.namespace_object;
    if (name == "variables") return Val::Map(variables_);
    if (name == "authorizer") return input.authorizer;
    if (name == "authorizer.requestResource") return input.resource_check;
    return std::nullopt;
  };
  variables_ = std::make_shared<LazyVariables>(expressions, activation_);
}

AdmissionRun::~AdmissionRun() = default;

AdmissionValue AdmissionRun::Evaluate(const AdmissionProgram& program) {
  AdmissionValue result;
  if (!program.program.has_value()) {
    result.error = "compilation error: " + program.error;
    return result;
  }
  const Evaluation e = program.program->Evaluate(activation_);
  // Variables are charged before the expression that asks for them.
  for (const std::uint64_t cost : {variables_->TakeCost(), e.cost}) {
    if (cost > static_cast<std::uint64_t>(budget_)) {
      problem_ =
          "validation failed due to running out of cost budget, no further validation rules will "
          "be run";
      budget_ = -1;
      return result;
    }
    budget_ -= static_cast<std::int64_t>(cost);
  }
  if (e.value.is_error()) {
    result.error = "expression '" + program.expression +
                   "' resulted in error: " + std::string(e.value.message());
  } else {
    result.value = e.value;
  }
  return result;
}

}  // namespace ksim::cel
