#include "ksim/check/invariants/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/check/invariants/terms.h"
#include "ksim/check/invariants/variables.h"
#include "ksim/value/json.h"

namespace ksim::check {
namespace {

using cel::Val;

// Above what an API server lets one expression cost: a set may be large.
constexpr std::uint64_t kMostCost = 100'000'000;
constexpr std::size_t kLongestValue = 80;
constexpr std::size_t kMostNames = 5;
constexpr std::string_view kPlace = "ERROR: <input>:";

int TakeNumber(std::string_view* text) {
  int n = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), n);
  text->remove_prefix(static_cast<std::size_t>(end - text->data()));
  if (error == std::errc() && text->starts_with(':')) text->remove_prefix(1);
  return n;
}

// "ERROR: <input>:1:5: undeclared reference to 'x' (in container '')", and what follows it: the
// line and its caret.
std::vector<ExpressionProblem> ProblemsIn(std::string_view text) {
  std::vector<ExpressionProblem> out;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(kPlace)) continue;
    line.remove_prefix(kPlace.size());
    ExpressionProblem& p = out.emplace_back();
    p.line = TakeNumber(&line);
    p.column = TakeNumber(&line);
    if (line.starts_with(' ')) line.remove_prefix(1);
    constexpr std::string_view kContainer = " (in container '')";
    if (line.ends_with(kContainer)) line.remove_suffix(kContainer.size());
    p.message = line;
    if (line.starts_with("undeclared reference to"))
      p.hint =
          "there are object, oldObject, owner, objects, count, now, age, unchanged, actor and "
          "operation";
  }
  if (out.empty()) out.emplace_back().message = "it cannot be compiled";
  return out;
}

ExpressionProblem Problem(std::string message, std::string hint) {
  ExpressionProblem p;
  p.message = std::move(message);
  p.hint = std::move(hint);
  return p;
}

// The names of the objects in a list of them.
std::string NamesIn(const cel::ListNode& list) {
  std::string out = "[";
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == kMostNames) {
      out += fmt::format(", and {} more", list.size() - i);
      break;
    }
    const auto tree = cel::ToTree(list.at(i));
    const value::Value& metadata = tree ? tree->Get("metadata") : value::Value().Get("metadata");
    const std::string_view ns = metadata.Get("namespace").AsString();
    out += fmt::format("{}{}{}{}", i == 0 ? "" : ", ", ns, ns.empty() ? "" : "/",
                       metadata.Get("name").AsString());
  }
  return out + "]";
}

std::string TextOf(const Val& v) {
  const auto tree = cel::ToTree(v);
  std::string out = tree ? value::ToJson(*tree) : v.ToText();
  if (out.size() > kLongestValue) {
    std::size_t cut = kLongestValue;
    while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xC0u) == 0x80u) --cut;
    out = out.substr(0, cut) + "...";
  }
  return out;
}

// A whole object says nothing that its name does not.
bool IsWholeObject(std::string_view term) {
  return term == "object" || term == "oldObject" || term == "owner";
}

}  // namespace

std::optional<Expression> Expression::Compile(std::string_view text, bool at_end,
                                              std::vector<ExpressionProblem>* problems) {
  absl::StatusOr<cel::Program> program = InvariantDeclarations().Compile(text);
  if (!program.ok()) {
    std::vector<ExpressionProblem> found =
        absl::IsFailedPrecondition(program.status())
            ? std::vector<ExpressionProblem>{Problem(std::string(Message(program.status())), "")}
            : ProblemsIn(Message(program.status()));
    problems->insert(problems->end(), found.begin(), found.end());
    return std::nullopt;
  }
  const cel::TypeKind kind = program->type()->kind;
  if (kind != cel::TypeKind::kBool && kind != cel::TypeKind::kDyn) {
    problems->push_back(
        Problem(fmt::format("must evaluate to bool, and it gives {}", program->type()->ToString()),
                "compare it with something: size(objects) > 1"));
    return std::nullopt;
  }
  Expression out(text, *std::move(program));
  if (at_end && out.IsAboutTheWrite()) {
    problems->push_back(
        Problem("actor, operation and oldObject speak of a write, and at the end "
                "of the run nobody writes",
                "use them in always, never, eventually or leadsTo.when"));
    return std::nullopt;
  }
  return out;
}

bool Expression::IsAboutOneObject() const {
  const auto uses = [this](std::string_view name) { return Uses(name); };
  static constexpr std::string_view kOfOne[] = {"object", "oldObject", "owner", "age", "unchanged"};
  return std::any_of(std::begin(kOfOne), std::end(kOfOne), uses);
}

bool Expression::IsAboutTheWrite() const {
  return Uses("actor") || Uses("operation") || Uses("oldObject");
}

Answer Expression::Evaluate(const Moment& moment) const {
  const cel::Activation activation = [&moment](std::string_view name) {
    return ValueAt(moment, name);
  };
  const Val v = program_.Evaluate(activation, kMostCost).value;
  Answer out;
  if (v.is_bool()) {
    out.is = v.is_true() ? Answer::Is::kTrue : Answer::Is::kFalse;
    return out;
  }
  out.is = Answer::Is::kError;
  out.error = v.is_error() ? std::string(v.message())
                           : fmt::format("it gives {}, which is no bool", TextOf(v));
  return out;
}

std::string Expression::Observed(const Moment& moment) const {
  const cel::Activation activation = [&moment](std::string_view name) {
    return ValueAt(moment, name);
  };
  std::string out;
  for (const std::string& term : TermsOf(text_)) {
    const auto program = InvariantDeclarations().Compile(term);
    if (!program.ok()) continue;
    const Val v = program->Evaluate(activation, kMostCost).value;
    if (IsWholeObject(term) && !v.is_null()) continue;
    const std::string text = term == "objects" ? NamesIn(*moment.objects) : TextOf(v);
    out += fmt::format("{}{} {} {}", out.empty() ? "" : ", ", term,
                       v.is_error() ? "is an error:" : "=",
                       v.is_error() ? std::string(v.message()) : text);
  }
  return out;
}

std::vector<FieldProblem> ProblemsOf(const Invariant& invariant) {
  std::vector<FieldProblem> out;
  const auto look = [&out](std::string_view field, std::string_view text, bool at_end) {
    std::vector<ExpressionProblem> problems;
    Expression::Compile(text, at_end, &problems);
    for (ExpressionProblem& p : problems) {
      out.emplace_back().field = field;
      out.back().problem = std::move(p);
    }
  };
  if (invariant.kind == InvariantKind::kLeadsTo) {
    look("leadsTo.when", invariant.expression, false);
    look("leadsTo.then", invariant.then, false);
  } else if (invariant.kind != InvariantKind::kStable) {
    look(ToString(invariant.kind), invariant.expression, invariant.kind == InvariantKind::kFinally);
  }
  return out;
}

}  // namespace ksim::check
