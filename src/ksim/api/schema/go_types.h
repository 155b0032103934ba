// The table of Go types behind schema.h, and the text it is made from:
//
//   Container: args=[]string name!=string restartPolicy=*s:ContainerRestartPolicy
//
// One struct: its JSON fields and their types. `!` marks a field that is always written (no
// omitempty). *T pointer, []T slice, {}T map from strings ({}Quantity@ResourceList: a named one),
// s:N a named string type, bytes base64 text, Raw anything, r:N anything that a Go type with an
// UnmarshalJSON of its own takes; the rest are scalars or structs. Where
// two packages have a struct of the same name, one of the two stands here with its package before
// it (events.Event), which Go does not print.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The structs that several kinds share. KindSpec::go_types has those of one kind.
std::string_view MetaTypes();
std::string_view PodTypes();

struct GoStruct;
class StructText;

struct GoType {
  enum class Kind : std::uint8_t {
    kString,
    kBool,
    kInt32,
    kInt64,
    kFloat64,
    kTime,
    kMicroTime,
    kDuration,
    kQuantity,
    kIntOrString,
    kBytes,
    kRaw,
    kSlice,
    kMap,
    kStruct
  };
  // A struct's fields, read from the text when somebody first asks: a run needs one struct in
  // three.
  const GoStruct& fields() const;

  Kind kind = Kind::kString;
  bool pointer = false;
  const GoType* element = nullptr;  // slice, map
  StructText* text = nullptr;       // struct
  std::string name;                 // as Go prints it: int32, []v1.Container, v1.RestartPolicy
  std::uint32_t number = 0;         // its own, by the order of first use
};

struct GoField {
  value::Atom name;
  const GoType* type = nullptr;
  bool always = false;  // written even when it is the zero value
};

struct GoStruct {
  std::string name;             // without the package
  bool qualified = false;       // another package has a struct of that name
  std::vector<GoField> fields;  // sorted by name, as the members of an object are
  // Searches from `hint` on, then before it, and moves `hint` behind the field that it finds: a
  // caller that asks for names in their order makes one pass over the fields.
  const GoField* Find(value::Atom name, std::size_t* hint) const;
  const GoField* Find(value::Atom name) const {
    std::size_t from_first = 0;
    return Find(name, &from_first);
  }
};

// The Go struct that holds a field of the struct, if it is embedded there; else "".
std::string_view EmbeddedStruct(std::string_view name, std::string_view field);

// The struct of that name, as a type; null if there is none. Types live as long as the process.
const GoType* FindGoStruct(std::string_view name);
// The names of all structs, in the order of the text.
std::vector<std::string_view> GoStructNames();

// The struct of a kind's objects; null for a custom kind, and for one whose types are not listed.
const GoType* TypeOf(const ResourceInfo& kind);

}  // namespace ksim::api
