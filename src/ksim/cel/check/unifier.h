// Unifier: which types the checker's type variables stand for, and whether one type may stand where
// another is wanted.
//
// Upstream: cel-go checker/types.go, checker/mapping.go. Instead of a copy for each try, a try
// notes what it changes.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ksim/cel/types/type.h"

namespace ksim::cel {

class Unifier {
 public:
  TypePtr NewVariable();
  bool IsAssignable(const TypePtr& a, const TypePtr& b);
  bool AreAssignable(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b);
  // The type with variables replaced by what they stand for; `to_dyn`: free ones by dyn.
  TypePtr Substitute(const TypePtr& t, bool to_dyn) const;
  // A signature with its parameters replaced by fresh variables.
  std::vector<TypePtr> Instantiate(const std::vector<TypePtr>& types);
  static TypePtr MostGeneral(const TypePtr& a, const TypePtr& b);

 private:
  bool Assignable(const TypePtr& a, const TypePtr& b);
  bool AllAssignable(const std::vector<TypePtr>& a, const std::vector<TypePtr>& b);
  // Binds variable `b` to `a`: {whether it fits, whether `b` was bound before}.
  std::pair<bool, bool> Bind(const TypePtr& a, const TypePtr& b);
  bool IsFree(const Type& variable, const TypePtr& within) const;
  const TypePtr& BoundTo(const Type& t) const;
  void Set(int variable, TypePtr type);
  void Undo(std::size_t mark);
  TypePtr Renamed(const TypePtr& t, std::map<std::string, TypePtr>* names);

  std::vector<TypePtr> bound_;                    // by variable; null: free
  std::vector<std::pair<int, TypePtr>> changes_;  // variable and what it was
};

}  // namespace ksim::cel
