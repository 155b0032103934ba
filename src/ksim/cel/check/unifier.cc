#include "ksim/cel/check/unifier.h"

namespace ksim::cel {
namespace {

bool IsDynOrError(const Type& t) { return t.kind == TypeKind::kDyn || t.kind == TypeKind::kError; }

// null may stand for these (internalIsAssignableNull).
bool IsNullable(const Type& t) {
  switch (t.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kStruct:
    case TypeKind::kDuration:
    case TypeKind::kTimestamp:
    case TypeKind::kNull:
      return true;
    default:
      return false;
  }
}

bool IsEqualOrLessSpecific(const Type& a, const Type& b) {
  if (a.kind == TypeKind::kDyn || a.kind == TypeKind::kTypeParam) return true;
  if (b.kind == TypeKind::kDyn || b.kind == TypeKind::kTypeParam) return false;
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      if (a.name != b.name || a.params.size() != b.params.size()) return false;
      for (std::size_t i = 0; i < a.params.size(); ++i) {
        if (!IsEqualOrLessSpecific(*a.params[i], *b.params[i])) return false;
      }
      return true;
    case TypeKind::kType:
      return true;
    default:
      return SameType(a, b);
  }
}

}  // namespace

TypePtr Unifier::NewVariable() {
  auto t = std::make_shared<Type>();
  t->kind = TypeKind::kTypeParam;
  t->variable = static_cast<int>(bound_.size());
  t->name = "_var" + std::to_string(t->variable);
  bound_.push_back(nullptr);
  return t;
}

const TypePtr& Unifier::BoundTo(const Type& t) const {
  static const TypePtr kFree;
  if (t.kind != TypeKind::kTypeParam || t.variable < 0) return kFree;
  return bound_[static_cast<std::size_t>(t.variable)];
}

void Unifier::Set(int variable, TypePtr type) {
  TypePtr& place = bound_[static_cast<std::size_t>(variable)];
  changes_.emplace_back(variable, place);
  place = std::move(type);
}

void Unifier::Undo(std::size_t mark) {
  while (changes_.size() > mark) {
    bound_[static_cast<std::size_t>(changes_.back().first)] = changes_.back().second;
    changes_.pop_back();
  }
}

bool Unifier::IsAssignable(const TypePtr& a, const TypePtr& b) {
  const std::size_t mark = changes_.size();
  if (Assignable(a, b)) return true;
  Undo(mark);
  return false;
}

bool Unifier::AreAssignable(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b) {
  const std::size_t mark = changes_.size();
  if (AllAssignable(a, b)) return true;
  Undo(mark);
  return false;
}

bool Unifier::AllAssignable(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!Assignable(a[i], b[i])) return false;
  }
  return true;
}

bool Unifier::Assignable(const TypePtr& a, const TypePtr& b) {
  if (b->kind == TypeKind::kTypeParam) {
    const auto [fits, was_bound] = Bind(a, b);
    if (fits) return true;
    if (was_bound) return false;
  }
  if (a->kind == TypeKind::kTypeParam) return Bind(b, a).first;
  if (IsDynOrError(*a) || IsDynOrError(*b)) return true;
  if (a->kind == TypeKind::kNull) return IsNullable(*b);
  if (b->kind == TypeKind::kNull) return IsNullable(*a);
  switch (a->kind) {
    case TypeKind::kType:
      return b->kind == TypeKind::kType;
    case TypeKind::kOpaque:
    case TypeKind::kList:
    case TypeKind::kMap:
      return a->kind == b->kind && a->name == b->name && AllAssignable(a->params, b->params);
    default:
      return a->kind == b->kind && a->name == b->name;
  }
}

std::pair<bool, bool> Unifier::Bind(const TypePtr& a, const TypePtr& b) {
  if (a->kind == b->kind && SameType(*a, *b)) return {true, true};
  if (const TypePtr bound = BoundTo(*b)) {
    if (a->kind == bound->kind && SameType(*a, *bound)) return {true, true};
    if (!Assignable(a, bound)) return {false, true};
    TypePtr general = MostGeneral(a, bound);
    if (IsFree(*b, general)) Set(b->variable, std::move(general));
    return {true, true};
  }
  if (!IsFree(*b, a)) return {false, false};
  Set(b->variable, a);
  return {true, false};
}

// The variable does not occur in the type.
bool Unifier::IsFree(const Type& variable, const TypePtr& within) const {
  if (SameType(variable, *within)) return false;
  if (within->kind == TypeKind::kTypeParam) {
    const TypePtr& bound = BoundTo(*within);
    return bound == nullptr || IsFree(variable, bound);
  }
  for (const TypePtr& param : within->params) {
    if (!IsFree(variable, param)) return false;
  }
  return true;
}

TypePtr Unifier::MostGeneral(const TypePtr& a, const TypePtr& b) {
  return IsEqualOrLessSpecific(*a, *b) ? a : b;
}

TypePtr Unifier::Substitute(const TypePtr& t, bool to_dyn) const {
  if (const TypePtr& bound = BoundTo(*t)) return Substitute(bound, to_dyn);
  if (t->kind == TypeKind::kTypeParam) return to_dyn ? DynType() : t;
  if (t->params.empty()) return t;
  std::vector<TypePtr> params;
  bool changed = false;
  for (const TypePtr& param : t->params) {
    params.push_back(Substitute(param, to_dyn));
    changed = changed || params.back() != param;
  }
  if (!changed) return t;
  auto copy = std::make_shared<Type>(*t);
  copy->params = std::move(params);
  return copy;
}

TypePtr Unifier::Renamed(const TypePtr& t, std::map<std::string, TypePtr>* names) {
  if (t->kind == TypeKind::kTypeParam) {
    TypePtr& variable = (*names)[t->name];
    if (variable == nullptr) variable = NewVariable();
    return variable;
  }
  if (t->params.empty()) return t;
  auto copy = std::make_shared<Type>(*t);
  for (TypePtr& param : copy->params) param = Renamed(param, names);
  return copy;
}

std::vector<TypePtr> Unifier::Instantiate(const std::vector<TypePtr>& types) {
  std::map<std::string, TypePtr> names;
  std::vector<TypePtr> fresh;
  for (const TypePtr& t : types) fresh.push_back(Renamed(t, &names));
  return fresh;
}

}  // namespace ksim::cel
