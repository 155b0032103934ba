// NOLINTFILE(ksim-threads): simulations on several threads share the table of types.
// NOLINTFILE(ksim-static): one table a process; a type's number reaches no output.
#include "ksim/api/schema/go_types.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/core/builtin_kinds.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/base/check.h"
#include "ksim/base/hash.h"

namespace ksim::api {

using value::Atom;
using Kind = GoType::Kind;

// One struct of the text.
class StructText {
 public:
  StructText(std::string_view name, std::string_view fields) : name_(name), text_(fields) {}
  std::string_view name() const { return name_; }
  const GoStruct& Read();

 private:
  std::string_view name_, text_;
  std::atomic<const GoStruct*> read_ = nullptr;
};

namespace {

struct Scalar {
  std::string_view text;
  Kind kind;
  std::string_view go_name;
};
constexpr Scalar kScalars[] = {{"string", Kind::kString, "string"},
                               {"bool", Kind::kBool, "bool"},
                               {"int32", Kind::kInt32, "int32"},
                               {"int64", Kind::kInt64, "int64"},
                               {"double", Kind::kFloat64, "float64"},
                               {"Time", Kind::kTime, "v1.Time"},
                               {"MicroTime", Kind::kMicroTime, "v1.MicroTime"},
                               {"Duration", Kind::kDuration, "v1.Duration"},
                               {"Quantity", Kind::kQuantity, "resource.Quantity"},
                               {"IntOrString", Kind::kIntOrString, "intstr.IntOrString"},
                               {"bytes", Kind::kBytes, "[]uint8"},
                               {"Raw", Kind::kRaw, "runtime.RawExtension"}};

// The next word; "" at the end. A loop of its own, since find_first_of calls memchr for each
// letter.
std::string_view TakeWord(std::string_view* text) {
  const auto blank = [](char c) { return c == ' ' || c == '\n'; };
  const auto begin = std::find_if_not(text->begin(), text->end(), blank);
  const auto end = std::find_if(begin, text->end(), blank);
  text->remove_prefix(static_cast<std::size_t>(end - text->begin()));
  return {begin, end};
}

// All types of the text. It finds where each struct stands, reads a struct when it is asked for,
// and numbers types in the order of their first use; equal texts share a type.
class TypeTable {
 public:
  static TypeTable& Get() {
    static TypeTable* const table = new TypeTable;
    return *table;
  }

  const GoType* FindStruct(std::string_view name) {
    const auto at = by_name_.find(name);
    if (at == by_name_.end()) return nullptr;
    const std::scoped_lock lock(mutex_);
    return TypeOfText(at->first);
  }

  std::vector<std::string_view> Names() const {
    std::vector<std::string_view> names;
    for (const StructText& text : structs_) names.push_back(text.name());
    return names;
  }

  GoStruct ReadStruct(std::string_view name, std::string_view text) {
    GoStruct s;
    s.name = name.substr(name.find('.') + 1);  // all of it without a dot
    s.qualified = name.find('.') != name.npos;
    const std::scoped_lock lock(mutex_);
    for (std::string_view word = TakeWord(&text); !word.empty(); word = TakeWord(&text)) {
      s.fields.push_back(ReadField(word));
    }
    KSIM_CHECK(!s.fields.empty(), "type {} has no fields", name);
    std::sort(s.fields.begin(), s.fields.end(),
              [](const GoField& a, const GoField& b) { return a.name.text() < b.name.text(); });
    return s;
  }

 private:
  TypeTable() {
    by_name_.reserve(512);  // there are fewer
    for (const std::string_view text : {MetaTypes(), PodTypes()}) FindStructs(text);
    for (const KindSpec* const kind : KindSpecs()) FindStructs(kind->go_types);
  }

  // A struct begins at the beginning of a line, `Name:`, and ends where the next does.
  void FindStructs(std::string_view text) {
    std::size_t begin = text.starts_with('\n') ? NextStruct(text, 0) : 0;
    while (begin < text.size()) {
      const std::size_t end = NextStruct(text, begin);
      const std::size_t colon = text.find(':', begin);
      const std::string_view name = text.substr(begin, colon - begin);
      structs_.emplace_back(name, text.substr(colon + 1, end - colon - 1));
      by_name_.emplace(name, &structs_.back());
      begin = end;
    }
  }
  // The first line after `from` that does not go on with the one before; size() if there is none.
  static std::size_t NextStruct(std::string_view text, std::size_t from) {
    for (std::size_t at = text.find('\n', from); at != text.npos; at = text.find('\n', at + 1)) {
      if (at + 1 < text.size() && text[at + 1] != ' ' && text[at + 1] != '\n') return at + 1;
    }
    return text.size();
  }

  GoField ReadField(std::string_view word) {
    const std::size_t equals = word.find('=');
    std::string_view name = word.substr(0, equals);
    GoField field;
    field.always = name.ends_with('!');
    if (field.always) name.remove_suffix(1);
    field.name = Atom(name);
    field.type = TypeOfText(word.substr(equals + 1));
    return field;
  }

  const GoType* TypeOfText(std::string_view text) {
    if (const auto known = by_text_.find(text); known != by_text_.end()) return known->second;
    GoType type = Parse(text);
    type.number = static_cast<std::uint32_t>(types_.size());
    types_.push_back(std::move(type));
    return by_text_.emplace(text, &types_.back()).first->second;
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
      type.kind = Kind::kRaw;
      type.name = "v1." + std::string(text.substr(2));
      return type;
    }
    for (const Scalar& scalar : kScalars) {
      if (scalar.text != text) continue;
      type.kind = scalar.kind;
      type.name = scalar.go_name;
      return type;
    }
    const auto found = by_name_.find(text);
    KSIM_CHECK(found != by_name_.end(), "type {} is used and not defined", text);
    type.kind = Kind::kStruct;
    type.text = found->second;
    type.name = "v1." + std::string(text.substr(text.find('.') + 1));
    return type;
  }

  GoType ParseContainer(std::string_view text) {
    GoType type;
    const bool slice = text.starts_with("[]");
    const std::size_t at = text.find('@');
    type.kind = slice ? Kind::kSlice : Kind::kMap;
    type.element = TypeOfText(text.substr(2, at == text.npos ? at : at - 2));
    type.name = at != text.npos ? "v1." + std::string(text.substr(at + 1))
                                : (slice ? "[]" : "map[string]") + type.element->name;
    return type;
  }

  // By pieces of the text. Nobody iterates over them.
  template <typename T>
  using ByText = absl::flat_hash_map<std::string_view, T, TextHash>;

  std::deque<StructText> structs_;
  ByText<StructText*> by_name_;
  std::mutex mutex_;  // over what follows
  std::deque<GoType> types_;
  ByText<const GoType*> by_text_;
};

}  // namespace

// Two threads may read the same struct; the first one's stays.
const GoStruct& StructText::Read() {
  const GoStruct* read = read_.load(std::memory_order_acquire);
  if (read != nullptr) return *read;
  auto fresh = std::make_unique<const GoStruct>(TypeTable::Get().ReadStruct(name_, text_));
  if (read_.compare_exchange_strong(read, fresh.get(), std::memory_order_acq_rel)) {
    read = fresh.release();
  }
  return *read;
}

const GoStruct& GoType::fields() const { return text->Read(); }

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

const GoType* FindGoStruct(std::string_view name) { return TypeTable::Get().FindStruct(name); }
std::vector<std::string_view> GoStructNames() { return TypeTable::Get().Names(); }

namespace {

const GoType* FindType(const ResourceInfo& kind) {
  const std::string_view own = SpecOf(kind).go_struct;
  return FindGoStruct(own.empty() ? std::string_view(kind.kind) : own);
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
