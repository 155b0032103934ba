#include "ksim/check/invariants/judge.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/check/invariant_tree.h"

namespace ksim::check {

Judge::Judge(const Invariant& invariant, const InvariantSurroundings& surroundings)
    : InvariantOracle(invariant), surroundings_(surroundings), selection_(invariant_) {
  if (invariant_.kind == InvariantKind::kStable) return;
  std::vector<ExpressionProblem> problems;
  expression_ = Expression::Compile(invariant_.expression,
                                    invariant_.kind == InvariantKind::kFinally, &problems);
  if (invariant_.kind == InvariantKind::kLeadsTo)
    then_ = Expression::Compile(invariant_.then, false, &problems);
  if (!problems.empty()) {
    problem_ = "its expression is none: " + problems.front().message;
    return;
  }
  about_one_ = expression_->IsAboutOneObject() || (then_ && then_->IsAboutOneObject());
}

bool Judge::AsksForOwners() const {
  return (expression_ && expression_->Uses("owner")) || (then_ && then_->Uses("owner"));
}

void Judge::On(const Facts& facts, const Observation& o) {
  if (!problem_.empty()) return;
  const SelectedChange change = selection_.Take(o);
  if (!change.concerns()) return;
  ever_ = true;
  OnChange(facts, o, change);
}

void Judge::Finish(const Facts& facts, const RunEnd& end) {
  if (problem_.empty() && !end.cut) AtEnd(facts, end);
}

std::string Judge::WhyNot() const {
  if (!problem_.empty()) return problem_;
  if (judged()) return "";
  if (ever_ && forgiven_each_) return "a controller was led to leave its work undone";
  if (ever_ && forgives()) return "the steps of the campaign's run did not come true, each once";
  return ever_ ? "vacuous: nothing came of it that it speaks of"
               : fmt::format("vacuous: no {} was ever there", ObjectsInWords(invariant_));
}

Moment Judge::AtWrite(const Observation& o, const SelectedChange& change) const {
  Moment m = AtRest(change.object, o.t);
  if (!o.before->is_null()) m.old_object = o.before;
  m.changed = change.changed_before;
  m.actor = o.by;
  static constexpr std::string_view kOperations[] = {"CREATE", "UPDATE", "DELETE"};
  m.operation = kOperations[static_cast<int>(o.op)];
  return m;
}

Moment Judge::AtRest(const SelectedObject* object, std::int64_t now) const {
  Moment m;
  m.owners = surroundings_.owners;
  m.objects = selection_.list();
  m.now = now;
  if (object == nullptr) return m;
  m.object = &object->tree;
  m.changed = object->changed;
  return m;
}

std::string Judge::ObjectName(const SelectedObject& object) const {
  return invariant_.resource + "/" + object.key;
}

std::string Judge::WriteInWords(const Observation& o) {
  static constexpr std::string_view kDone[] = {"created", "wrote", "deleted"};
  return fmt::format("{} {} {}/{}{}{} at revision {}", o.by.empty() ? "somebody" : o.by,
                     kDone[static_cast<int>(o.op)], o.resource, o.ns, o.ns.empty() ? "" : "/",
                     o.name, o.rv);
}

std::string Judge::Subject(const SelectedObject* object) const {
  return object != nullptr
             ? ObjectName(*object)
             : fmt::format("the {} {}", selection_.size(), ObjectsInWords(invariant_));
}

std::string Judge::Values(const Expression& expression, const Moment& moment) {
  const std::string values = expression.Observed(moment);
  return values.empty() ? "" : "; " + values;
}

void Judge::Report(std::uint64_t first, std::string who, const SelectedObject* object,
                   std::string message) {
  Judged();
  std::vector<std::string> objects;
  if (object != nullptr) objects.push_back(ObjectName(*object));
  Violate(first, std::move(who), std::move(message), std::move(objects));
}

}  // namespace ksim::check
