#include "ksim/cel/functions/table.h"

#include <utility>

#include "ksim/base/check.h"

namespace ksim::cel {
namespace {

class SignatureReader {
 public:
  explicit SignatureReader(std::string_view text) : rest_(text) {}

  Overload ReadOverload() {
    Overload overload;
    overload.member = Take(".");
    overload.id = ReadWord();
    KSIM_CHECK(Take("("));
    while (!Take(")")) {
      overload.args.push_back(ReadType());
      Take(",");
    }
    KSIM_CHECK(Take("->"));
    overload.result = ReadType();
    return overload;
  }

  TypePtr ReadType() {
    const std::string name(ReadWord());
    std::vector<TypePtr> params;
    if (Take("(")) {
      while (!Take(")")) {
        params.push_back(ReadType());
        Take(",");
      }
    }
    if (name == "int") return IntType();
    if (name == "uint") return UintType();
    if (name == "double") return DoubleType();
    if (name == "bool") return BoolType();
    if (name == "string") return StringType();
    if (name == "bytes") return BytesType();
    if (name == "timestamp") return TimestampType();
    if (name == "duration") return DurationType();
    if (name == "null") return NullType();
    if (name == "dyn") return DynType();
    if (name == "list") return ListOf(params[0]);
    if (name == "map") return MapOf(params[0], params[1]);
    if (name == "optional") return OptionalOf(params[0]);
    if (name == "type") return TypeOf(params.empty() ? nullptr : params[0]);
    if (name.size() == 1) return TypeParam(name);
    if (name.starts_with("net.")) return OpaqueType(name);
    return StructType(name);
  }

 private:
  void SkipBlanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool Take(std::string_view text) {
    SkipBlanks();
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  std::string_view ReadWord() {
    SkipBlanks();
    const std::size_t end = rest_.find_first_of(" (),");
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(word.size());
    return word;
  }

  std::string_view rest_;
};

std::string TypeNames(Arguments args) {
  std::string names;
  for (const Val& arg : args) {
    if (!names.empty()) names += ", ";
    names += arg.type_name();
  }
  return names;
}

bool TakesReceiver(const Val& v) {
  return v.is_string() || v.kind() == ValKind::kTimestamp || v.kind() == ValKind::kDuration;
}

}  // namespace

bool HasTrait(const Val& v, Trait trait) {
  const ValKind k = v.kind();
  const bool number = v.is_int() || v.is_uint() || v.is_double();
  const bool time = k == ValKind::kTimestamp || k == ValKind::kDuration;
  switch (trait) {
    case Trait::kNone:
      return true;
    case Trait::kAdds:
      return number || time || v.is_string() || k == ValKind::kBytes || v.is_list();
    case Trait::kCompares:
      return number || time || v.is_string() || k == ValKind::kBytes || v.is_bool();
    case Trait::kDivides:
    case Trait::kMultiplies:
      return number;
    case Trait::kTakesModulo:
      return v.is_int() || v.is_uint();
    case Trait::kNegates:
      return v.is_bool() || v.is_int() || v.is_double() || k == ValKind::kDuration;
    case Trait::kSizes:
      return v.HasSize();
    case Trait::kSubtracts:
      return number || time;
  }
  return false;
}

bool IsOfType(const Val& v, const Type& type) {
  if (type.kind == TypeKind::kDyn || type.kind == TypeKind::kTypeParam) return true;
  const TypePtr own = v.type();
  if (own->kind != type.kind || own->name != type.name) return false;
  if (v.is_list() && v.list().size() > 0) return IsOfType(v.list().at(0), *type.params[0]);
  if (v.is_map() && v.map().visible() > 0) {
    return IsOfType(v.map().key(0), *type.params[0]) && IsOfType(v.map().value(0), *type.params[1]);
  }
  if (v.is_optional() && v.optional_value() != nullptr) {
    return IsOfType(*v.optional_value(), *type.params[0]);
  }
  return true;
}

Val Function::NoSuchOverload(Arguments args) const {
  for (const Val& arg : args) {
    if (arg.is_error()) return arg;
  }
  return Val::Error("no such overload: " + name + "(" + TypeNames(args) + ")");
}

Val Function::Dispatch(Arguments args) const {
  for (const Overload& overload : overloads) {
    if (overload.args.size() != args.size() || !overload.run) continue;
    bool fits = true;
    for (std::size_t i = 0; i < args.size() && fits; ++i) {
      fits = IsOfType(args[i], *overload.args[i]);
    }
    if (fits) return overload.run(args);
  }
  return NoSuchOverload(args);
}

Function& FunctionTable::Get(std::string_view name) {
  const auto found = functions_.find(name);
  if (found != functions_.end()) return found->second;
  Function& function = functions_[std::string(name)];
  function.name = name;
  return function;
}

void FunctionTable::Add(std::string_view function, std::string_view signature, Implementation run) {
  Overload overload = SignatureReader(signature).ReadOverload();
  overload.run = std::move(run);
  Get(function).overloads.push_back(std::move(overload));
}

void FunctionTable::AddAll(std::string_view function, std::vector<std::string> signatures,
                           Trait trait, Implementation run) {
  for (const std::string& signature : signatures) Declare(function, signature);
  const std::string name(function);
  Get(function).run = [name, trait, run = std::move(run)](Arguments args) {
    if (HasTrait(args[0], trait)) return run(args);
    if (TakesReceiver(args[0])) return Val::NoSuchOverload();
    return Val::Error("no such overload: " + name);
  };
}

const Function* FunctionTable::Find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

TypePtr ParseType(std::string_view text) { return SignatureReader(text).ReadType(); }

}  // namespace ksim::cel
