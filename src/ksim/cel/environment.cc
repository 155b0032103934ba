#include "ksim/cel/environment.h"

#include <utility>

#include "ksim/base/status.h"
#include "ksim/cel/check/validators.h"
#include "ksim/cel/functions/libraries.h"
#include "ksim/value/text.h"

namespace ksim::cel {

EnvironmentOptions EnvironmentOptions::Kubernetes(int minor) {
  EnvironmentOptions o;
  o.optionals = minor >= 28 ? 1 : -1;
  // optional.unwrap, first and last are in cel-go since 0.22, in Kubernetes 1.33.
  if (minor >= 33) o.optionals = 2;
  o.quantity = minor >= 28;
  o.cross_type_order = minor >= 28;
  o.strings = minor >= 29 ? 2 : 0;
  o.sets = minor >= 29;
  o.validators = minor >= 29;
  // With the validators, it is one of them that wants lists and maps to be of one type.
  o.homogeneous_literals = !o.validators;
  o.networks = minor >= 30;
  o.formats = minor >= 31;
  o.two_variables = minor >= 32;
  o.semver = minor >= 33;
  o.authorization = minor >= 27;
  o.authorization_selectors = minor >= 32;
  o.lists = minor >= 34 ? 3 : -1;
  o.tells_type_found = minor > 30;
  o.parser.optional_syntax = o.optionals >= 0;
  o.parser.two_variable_macros = o.two_variables;
  o.parser.sort_by_macro = o.lists >= 2;
  o.parser.bind_macro = false;
  o.parser.exists_one_alias = minor >= 34;
  return o;
}

Environment::Environment(const EnvironmentOptions& options)
    : options_(options),
      functions_(std::make_shared<FunctionTable>()),
      costs_(std::make_shared<const CostPolicy>(options.costs)) {
  FunctionTable* t = functions_.get();
  AddStandardFunctions(t, options.cross_type_order);
  if (options.kubernetes_lists) {
    AddUrlFunctions(t);
    AddRegexFunctions(t);
    AddListFunctions(t);
  }
  if (options.optionals >= 0) AddOptionalFunctions(t, options.optionals);
  if (options.quantity) AddQuantityFunctions(t);
  if (options.strings >= 0) AddStringFunctions(t, options.strings);
  if (options.sets) AddSetFunctions(t);
  if (options.networks) {
    AddIpFunctions(t);
    AddCidrFunctions(t);
  }
  if (options.formats) AddNamedFormatFunctions(t);
  if (options.two_variables) AddTwoVariableFunctions(t);
  if (options.semver) AddSemverFunctions(t);
  if (options.authorization) AddAuthorizationFunctions(t, options.authorization_selectors);
  if (options.lists >= 0) AddExtListFunctions(t, options.lists);
  declarations_.functions = t;
  declarations_.homogeneous_literals = options.homogeneous_literals;
  auto& types = declarations_.types;
  for (const TypePtr& type : {BoolType(), BytesType(), DoubleType(), IntType(), StringType(),
                              UintType(), NullType(), TimestampType(), DurationType()}) {
    types[type->name] = type;
  }
  types["dyn"] = DynType();
  types["list"] = ListOf(DynType());
  types["map"] = MapOf(DynType(), DynType());
  types["type"] = TypeOf(nullptr);
  if (options.optionals >= 0) types["optional_type"] = OptionalOf(DynType());
  if (options.networks) {
    types["net.IP"] = OpaqueType("net.IP");
    types["net.CIDR"] = OpaqueType("net.CIDR");
  }
}

void Environment::DeclareVariable(std::string_view name, TypePtr type) {
  declarations_.variables[std::string(name)] = std::move(type);
}

void Environment::SetFieldTypes(
    std::function<TypePtr(std::string_view, std::string_view)> field_type,
    std::set<std::string, std::less<>> types_with_fields) {
  declarations_.field_type = std::move(field_type);
  declarations_.types_with_fields = std::move(types_with_fields);
}

absl::StatusOr<Program> Environment::Compile(std::string_view text) const {
  const Source source(text);
  std::vector<SourceError> errors;
  Ast ast = Parse(source, options_.parser, &errors);
  if (!errors.empty()) return value::InvalidText(source.Render(std::move(errors)));
  auto checked = std::make_shared<const CheckedAst>(Check(std::move(ast), declarations_, &errors));
  if (errors.empty() && options_.validators) errors = Validate(*checked);
  if (!errors.empty()) return value::InvalidText(source.Render(std::move(errors)));
  Program program;
  program.type_ = checked->TypeOfNode(*checked->ast.root);
  program.functions_ = functions_;
  program.costs_ = costs_;
  absl::StatusOr<std::shared_ptr<const Plan>> plan = MakePlan(*checked, *functions_, *costs_);
  if (!plan.ok()) return absl::FailedPreconditionError(plan.status().message());
  program.plan_ = *std::move(plan);
  program.checked_ = std::move(checked);
  return program;
}

Evaluation Program::Evaluate(const Activation& activation, std::uint64_t limit) const {
  ksim::cel::Run run(activation, limit);
  run.slots.resize(plan_->slots);
  run.variables.resize(plan_->variables.size());
  Evaluation evaluation;
  evaluation.value = plan_->root->Eval(run);
  if (run.cancelled) {
    evaluation.value = Val::Error("operation cancelled: actual cost limit exceeded");
  }
  evaluation.cost = run.cost;
  return evaluation;
}

CostRange Program::EstimateCost(const SizeEstimator& estimator) const {
  return ksim::cel::EstimateCost(*checked_, *costs_, estimator);
}

}  // namespace ksim::cel
