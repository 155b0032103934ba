#include "ksim/api/schema/proto_types.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "fmt/format.h"
#include "ksim/api/schema/proto_table.h"
#include "ksim/base/check.h"

namespace ksim::api {
namespace {

// Cuts off and returns what stands before the first `separator`.
std::string_view CutAt(std::string_view& rest, char separator) {
  const std::size_t place = rest.find(separator);
  const std::string_view item = rest.substr(0, place);
  rest = place == rest.npos ? std::string_view() : rest.substr(place + 1);
  return item;
}

ProtoMessage::Form FormOf(std::string_view name) {
  using Form = ProtoMessage::Form;
  if (name == "meta.v1.Time") return Form::kTime;
  if (name == "meta.v1.MicroTime") return Form::kMicroTime;
  if (name == "meta.v1.Duration") return Form::kDuration;
  if (name == "api.resource.Quantity" || name == "api.resource.QuantityValue") {
    return Form::kQuantity;
  }
  if (name == "util.intstr.IntOrString") return Form::kIntOrString;
  if (name == "runtime.RawExtension" || name == "meta.v1.FieldsV1" ||
      name == "apiextensions.v1.JSON") {
    return Form::kRaw;
  }
  if (name.ends_with(".ExtraValue") || name == "meta.v1.Verbs") return Form::kList;
  return Form::kObject;
}

// NAME=NUMBER:[?!*{}^]TYPE; the type's name is left in `type`.
ProtoField ParseField(std::string_view text, std::string_view* type) {
  ProtoField field;
  field.name = value::Atom(CutAt(text, '='));
  const std::string_view number = CutAt(text, ':');
  std::from_chars(number.data(), number.data() + number.size(), field.number);
  for (; !text.empty(); text.remove_prefix(1)) {
    if (text.front() == '?' || text.front() == '!') {
      field.keeps_zero = true;
      field.pointer = field.pointer || text.front() == '?';
    } else if (text.front() == '*') {
      field.shape = ProtoField::Shape::kRepeated;
    } else if (text.front() == '{') {
      field.shape = ProtoField::Shape::kMap;
    } else if (text.front() == '^') {
      field.embedded = true;
    } else if (text.front() != '}') {
      break;
    }
  }
  using Type = ProtoField::Type;
  field.type = text == "string"                       ? Type::kString
               : text == "bool"                       ? Type::kBool
               : text == "bytes"                      ? Type::kBytes
               : text == "double"                     ? Type::kDouble
               : text == "int32" || text == "int64"   ? Type::kInt
               : text == "uint32" || text == "uint64" ? Type::kInt
                                                      : Type::kMessage;
  *type = text;
  return field;
}

}  // namespace

const ProtoField* ProtoMessage::Find(std::uint32_t number) const {
  const auto found =
      std::lower_bound(fields.begin(), fields.end(), number,
                       [](const ProtoField& field, std::uint32_t n) { return field.number < n; });
  return found == fields.end() || found->number != number ? nullptr : &*found;
}

ProtoTypes::ProtoTypes(std::string_view table) {
  messages_.reserve(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')) + 1);
  // The types of fields, in the order of messages and fields: messages may come later.
  std::vector<std::string_view> types;
  while (!table.empty()) {
    std::string_view line = CutAt(table, '\n');
    if (line.empty()) continue;
    ProtoMessage& message = messages_.emplace_back();
    message.name = CutAt(line, ' ');
    message.form = FormOf(message.name);
    for (;;) {
      while (!line.empty()) {
        const std::string_view field = CutAt(line, ' ');
        if (!field.empty()) message.fields.push_back(ParseField(field, &types.emplace_back()));
      }
      if (!table.starts_with(' ')) break;  // else the message goes on
      line = CutAt(table, '\n');
    }
  }
  for (const ProtoMessage& message : messages_) by_name_[message.name] = &message;
  std::size_t next = 0;
  for (ProtoMessage& message : messages_) {
    for (ProtoField& field : message.fields) {
      const std::string_view type = types[next++];
      if (field.type == ProtoField::Type::kMessage) field.message = Find(type);
    }
    // A field whose type no served kind has is one that nobody sends.
    std::erase_if(message.fields, [](const ProtoField& field) {
      return field.type == ProtoField::Type::kMessage && field.message == nullptr;
    });
    for (const ProtoField& field : message.fields) {
      ProtoMessage::GoField& in_go = message.in_go.emplace_back();
      in_go.name = field.name;
      if (field.embedded) in_go.embedded = field.message;
    }
    std::sort(message.fields.begin(), message.fields.end(),
              [](const ProtoField& a, const ProtoField& b) { return a.number < b.number; });
  }
}

const ProtoTypes& ProtoTypes::Get() {
  static const ProtoTypes types(kProtoTable);
  return types;
}

const ProtoMessage* ProtoTypes::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

const ProtoMessage* ProtoTypes::FindKind(std::string_view api_version,
                                         std::string_view kind) const {
  std::string_view version = api_version;
  std::string_view group = "core";
  if (api_version.find('/') != api_version.npos) {
    group = CutAt(version, '/');
    group = group.substr(0, group.find('.'));
  }
  const ProtoMessage* const own = Find(fmt::format("{}.{}.{}", group, version, kind));
  return own != nullptr ? own : Find(fmt::format("meta.{}.{}", version, kind));
}

}  // namespace ksim::api
