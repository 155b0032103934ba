// FunctionTable: the functions of an environment, by name, each with its overloads in the order in
// which they were declared, which decides among several that match.
//
// Upstream: cel-go common/decls, common/functions.
#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/cel/types/type.h"
#include "ksim/cel/values/val.h"

namespace ksim::cel {

using Arguments = std::span<const Val>;  // of a member call: the target first
using Implementation = std::function<Val(Arguments)>;

struct Overload {
  std::string id;
  bool member = false;
  std::vector<TypePtr> args;
  TypePtr result;
  Implementation run;  // empty: the function's own, or the evaluator does it
};

struct Function {
  std::string name;
  std::vector<Overload> overloads;
  Implementation run;  // of all overloads

  // The overload that takes these values, by their types at run time; else "no such overload:
  // NAME(TYPES)".
  Val Dispatch(Arguments args) const;
  Val NoSuchOverload(Arguments args) const;
};

// A trait that an operator needs of its left operand (cel-go common/types/traits).
enum class Trait : std::uint8_t {
  kNone,
  kAdds,
  kCompares,
  kDivides,
  kTakesModulo,
  kMultiplies,
  kNegates,
  kSizes,
  kSubtracts
};
bool HasTrait(const Val& v, Trait trait);

// Whether a value is of a type, as far as dispatch looks: the first item of a list, the first entry
// of a map.
bool IsOfType(const Val& v, const Type& type);

class FunctionTable {
 public:
  // A signature reads "ID (TYPE, ...) -> TYPE"; with a dot in front it is a member's, and the first
  // type is the target's. Types: int uint double bool string bytes timestamp duration null dyn,
  // list(T) map(K, V) optional(T) type(T), one capital letter for a parameter, and names of
  // Kubernetes' types such as kubernetes.URL.
  void Add(std::string_view function, std::string_view signature, Implementation run);
  // Overloads that share an implementation; without the trait in the first argument it is not run.
  void AddAll(std::string_view function, std::vector<std::string> signatures, Trait trait,
              Implementation run);
  void Declare(std::string_view function, std::string_view signature) {
    Add(function, signature, nullptr);
  }
  const Function* Find(std::string_view name) const;

 private:
  Function& Get(std::string_view name);
  std::map<std::string, Function, std::less<>> functions_;
};

// The type in a signature.
TypePtr ParseType(std::string_view text);

}  // namespace ksim::cel
