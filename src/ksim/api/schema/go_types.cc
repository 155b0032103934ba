#include "ksim/api/schema/go_types.h"

#include <algorithm>
#include <map>

#include "ksim/api/core/builtin_kinds.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/base/check.h"

namespace ksim::api {

using value::Atom;

// Reads the text once. It numbers types in the order of their first use; equal texts share a
// number.
class TypeTableBuilder {
 public:
  TypeTable Build() {
    for (const std::string_view text : {MetaTypes(), PodTypes()}) ReadText(text);
    for (const KindSpec* const kind : KindSpecs()) ReadText(kind->go_types);
    for (GoStruct& s : table_.structs_) {
      KSIM_CHECK(!s.fields.empty(), "type {} is used and not defined", s.name);
      std::sort(s.fields.begin(), s.fields.end(),
                [](const GoField& a, const GoField& b) { return a.name.text() < b.name.text(); });
    }
    for (const std::string_view name : struct_texts_)
      table_.by_name_.emplace(name, TypeNumber(name));
    return std::move(table_);
  }

 private:
  void ReadText(std::string_view text) {
    GoStruct* current = nullptr;
    while (!text.empty()) {
      const std::string_view word = TakeWord(&text);
      if (word.empty()) return;
      if (word.back() == ':') {
        current = &table_.structs_[StructNumber(word.substr(0, word.size() - 1))];
      } else {
        ReadField(word, current);
      }
    }
  }

  // The next word; "" at the end. A loop of its own, since find_first_of calls memchr for each
  // letter.
  static std::string_view TakeWord(std::string_view* text) {
    const auto blank = [](char c) { return c == ' ' || c == '\n'; };
    const auto begin = std::find_if_not(text->begin(), text->end(), blank);
    const auto end = std::find_if(begin, text->end(), blank);
    text->remove_prefix(static_cast<std::size_t>(end - text->begin()));
    return {begin, end};
  }

  void ReadField(std::string_view word, GoStruct* into) {
    const std::size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    GoField field;
    field.always = name.ends_with('!');
    if (field.always) name.remove_suffix(1);
    field.name = Atom(name);
    // The struct may move while its field's type is read.
    const std::size_t at = static_cast<std::size_t>(into - table_.structs_.data());
    field.type = TypeNumber(word.substr(equals + 1));
    table_.structs_[at].fields.push_back(field);
  }

  std::uint32_t StructNumber(std::string_view name) {
    const auto [it, fresh] =
        struct_numbers_.try_emplace(name, static_cast<std::uint32_t>(table_.structs_.size()));
    if (fresh) {
      table_.structs_.reserve(512);  // more than there are: pointers into it stay good
      table_.structs_.emplace_back();
      struct_texts_.push_back(name);
      table_.structs_.back().name = name.substr(name.find('.') + 1);  // all of it without a dot
      table_.structs_.back().qualified = name.find('.') != name.npos;
    }
    return it->second;
  }

  std::uint32_t TypeNumber(std::string_view text) {
    if (const auto known = type_numbers_.find(text); known != type_numbers_.end()) {
      return known->second;
    }
    GoType type = Parse(text);
    type.number = static_cast<std::uint32_t>(table_.types_.size());
    table_.types_.push_back(std::move(type));
    return type_numbers_.emplace(text, table_.types_.back().number).first->second;
  }

  GoType Parse(std::string_view text) {
    GoType type;
    if (text.starts_with('*')) {
      type = Parse(text.substr(1));
      type.pointer = true;
      return type;
    }
    if (text.starts_with("[]") || text.starts_with("{}")) return ParseContainer(text);
    if (text.starts_with("s:")) {
      text.remove_prefix(2);
      type.name = text.find('.') != text.npos ? std::string(text) : "v1." + std::string(text);
      return type;
    }
    if (text.starts_with("r:")) {
      type.kind = GoType::Kind::kRaw;
      type.name = "v1." + std::string(text.substr(2));
      return type;
    }
    for (const Scalar& scalar : kScalars) {
      if (scalar.text != text) continue;
      type.kind = scalar.kind;
      type.name = scalar.go_name;
      return type;
    }
    type.kind = GoType::Kind::kStruct;
    type.fields = StructNumber(text);
    type.name = "v1." + table_.structs_[type.fields].name;
    return type;
  }

  GoType ParseContainer(std::string_view text) {
    GoType type;
    const bool slice = text.starts_with("[]");
    const std::size_t at = text.find('@');
    type.kind = slice ? GoType::Kind::kSlice : GoType::Kind::kMap;
    type.element = TypeNumber(text.substr(2, at == text.npos ? at : at - 2));
    type.name = at != text.npos ? "v1." + std::string(text.substr(at + 1))
                                : (slice ? "[]" : "map[string]") + table_.types_[type.element].name;
    return type;
  }

  struct Scalar {
    std::string_view text;
    GoType::Kind kind;
    std::string_view go_name;
  };
  static constexpr Scalar kScalars[] = {
      {"string", GoType::Kind::kString, "string"},
      {"bool", GoType::Kind::kBool, "bool"},
      {"int32", GoType::Kind::kInt32, "int32"},
      {"int64", GoType::Kind::kInt64, "int64"},
      {"double", GoType::Kind::kFloat64, "float64"},
      {"Time", GoType::Kind::kTime, "v1.Time"},
      {"MicroTime", GoType::Kind::kMicroTime, "v1.MicroTime"},
      {"Duration", GoType::Kind::kDuration, "v1.Duration"},
      {"Quantity", GoType::Kind::kQuantity, "resource.Quantity"},
      {"IntOrString", GoType::Kind::kIntOrString, "intstr.IntOrString"},
      {"bytes", GoType::Kind::kBytes, "[]uint8"},
      {"Raw", GoType::Kind::kRaw, "runtime.RawExtension"}};

  TypeTable table_;
  std::vector<std::string_view> struct_texts_;  // by number
  TypesByText struct_numbers_, type_numbers_;
};

const GoField* GoStruct::Find(Atom field, std::size_t* hint) const {
  const auto in = [&](std::size_t from, std::size_t to) -> const GoField* {
    for (std::size_t i = from; i < to; ++i) {
      if (fields[i].name != field) continue;
      *hint = i + 1;
      return &fields[i];
    }
    return nullptr;
  };
  const std::size_t from = *hint;
  const GoField* found = in(from, fields.size());
  return found != nullptr ? found : in(0, from);
}

// k8s.io/api core/v1 types.go, resource/v1 types.go.
std::string_view EmbeddedStruct(std::string_view name, std::string_view field) {
  static const std::map<std::string_view, std::string_view> kByField = {
      {"ConfigMapEnvSource", "LocalObjectReference"},
      {"ConfigMapKeySelector", "LocalObjectReference"},
      {"ConfigMapProjection", "LocalObjectReference"},
      {"ConfigMapVolumeSource", "LocalObjectReference"},
      {"SecretEnvSource", "LocalObjectReference"},
      {"SecretKeySelector", "LocalObjectReference"},
      {"SecretProjection", "LocalObjectReference"}};
  if (field == "opaque" && name.ends_with("Configuration")) return "DeviceConfiguration";
  if (name == "RuleWithOperations") return field == "operations" ? "" : "Rule";
  if (name == "Volume") return field == "name" ? "" : "VolumeSource";
  if (name == "EphemeralContainer") {
    return field == "targetContainerName" ? "" : "EphemeralContainerCommon";
  }
  if (name == "Probe") {
    const bool handler =
        field == "exec" || field == "httpGet" || field == "tcpSocket" || field == "grpc";
    return handler ? "ProbeHandler" : "";
  }
  const auto found = kByField.find(name);
  return found != kByField.end() && field == "name" ? found->second : "";
}

const TypeTable& TypeTable::Get() {
  static const TypeTable table = TypeTableBuilder().Build();
  return table;
}

const GoType* TypeTable::FindStruct(std::string_view name) const {
  const auto at = by_name_.find(name);
  return at != by_name_.end() ? &types_[at->second] : nullptr;
}

namespace {

const GoType* FindType(const ResourceInfo& kind) {
  const std::string_view own = SpecOf(kind).go_struct;
  return TypeTable::Get().FindStruct(own.empty() ? std::string_view(kind.kind) : own);
}

}  // namespace

const GoType* TypeOf(const ResourceInfo& kind) {
  if (kind.custom) return nullptr;
  static const std::vector<const GoType*> of_builtin = [] {
    std::vector<const GoType*> types;
    for (const ResourceInfo& builtin : BuiltinKinds()) types.push_back(FindType(builtin));
    return types;
  }();
  const std::size_t number = kind.builtin_number;
  return number < of_builtin.size() ? of_builtin[number] : FindType(kind);
}

}  // namespace ksim::api
