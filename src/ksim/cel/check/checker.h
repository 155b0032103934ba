// Checker: gives each node of a tree its type and each call its overloads, or errors with their
// places.
//
// Upstream: cel-go checker/checker.go.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/functions/table.h"
#include "ksim/cel/syntax/ast.h"
#include "ksim/cel/syntax/source.h"
#include "ksim/cel/types/type.h"

namespace ksim::cel {

// The meanings of names in an environment.
struct Declarations {
  std::map<std::string, TypePtr, std::less<>> variables;
  const FunctionTable* functions = nullptr;
  // The type of a field; null: the object type has none such.
  std::function<TypePtr(std::string_view type_name, std::string_view field)> field_type;
  // Object types of Kubernetes that have fields; others of its libraries have none to ask for.
  std::set<std::string, std::less<>> types_with_fields;
  std::map<std::string, TypePtr, std::less<>> types;  // names that are types, "int"
  bool homogeneous_literals = true;  // lists and maps of one type; dyn elements otherwise
};

struct CheckedAst {
  Ast ast;
  std::vector<TypePtr> types;  // by id
  // By id of a call, its overloads' ids; of an identifier, the name it resolved to.
  std::map<std::int64_t, std::vector<std::string>> overloads;
  std::map<std::int64_t, std::string> idents;
  std::map<std::int64_t, TypePtr> type_values;  // identifiers that are types

  const TypePtr& TypeOfNode(const Expr& e) const { return types[static_cast<std::size_t>(e.id)]; }
  // Whether a variable of the environment is used.
  bool Uses(std::string_view variable) const;
};

// Names are resolved in the tree itself.
CheckedAst Check(Ast ast, const Declarations& declarations, std::vector<SourceError>* errors);

}  // namespace ksim::cel
