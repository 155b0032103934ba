#include "ksim/api/schema/protobuf.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "ksim/api/schema/proto_encoder.h"
#include "ksim/api/schema/proto_types.h"
#include "ksim/base/status.h"
#include "ksim/base/time.h"
#include "ksim/value/base64.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::api {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::pbf_writer;
using value::Value;
using Form = ProtoMessage::Form;
using Shape = ProtoField::Shape;
using Type = ProtoField::Type;

constexpr std::string_view kPrefix("k8s\0", 4);
constexpr int kDeepest = 200;  // nesting; a schema of a CustomResourceDefinition may be deep

// runtime.Unknown
constexpr protozero::pbf_tag_type kTypeMeta = 1;
constexpr protozero::pbf_tag_type kRaw = 2;

absl::Status Bad(std::string message) { return absl::InvalidArgumentError(AbslView(message)); }

protozero::data_view Data(std::string_view text) { return {text.data(), text.size()}; }

void DecodeInto(const ProtoMessage& message, pbf_reader reader, int depth,
                std::map<std::uint32_t, std::vector<Value>>* lists,
                std::vector<std::pair<value::Atom, Value>>* members);

Value DecodeMessage(const ProtoMessage& message, pbf_reader reader, int depth);

Value DecodeTime(pbf_reader reader, bool micro) {
  std::int64_t seconds = 0;
  std::int64_t nanos = 0;
  bool any = false;
  while (reader.next()) {
    any = true;
    if (reader.tag() == 1 && reader.wire_type() == pbf_wire_type::varint) {
      seconds = reader.get_int64();
    } else if (reader.tag() == 2 && reader.wire_type() == pbf_wire_type::varint) {
      nanos = reader.get_int32();
    } else {
      reader.skip();
    }
  }
  if (!any) return Value();
  constexpr std::int64_t kFurthest = 9'000'000'000;  // seconds, from the year 1740 to 2310
  seconds = std::clamp(seconds, kEpochUnixSeconds - kFurthest, kEpochUnixSeconds + kFurthest);
  nanos = std::clamp(nanos, std::int64_t{0}, std::int64_t{999'999'999});
  const VirtualTime time =
      VirtualTime() + Seconds(seconds - kEpochUnixSeconds) + Nanoseconds(nanos);
  return Value::Of(micro ? value::FormatMicroTime(time) : value::FormatTimestamp(time));
}

Value DecodeIntOrString(pbf_reader reader) {
  bool is_text = false;
  std::int64_t number = 0;
  std::string text;
  while (reader.next()) {
    if (reader.tag() == 1 && reader.wire_type() == pbf_wire_type::varint) {
      is_text = reader.get_int64() == 1;
    } else if (reader.tag() == 2 && reader.wire_type() == pbf_wire_type::varint) {
      number = reader.get_int32();
    } else if (reader.tag() == 3 && reader.wire_type() == pbf_wire_type::length_delimited) {
      text = reader.get_string();
    } else {
      reader.skip();
    }
  }
  return is_text ? Value::Of(text) : Value::Of(number);
}

// The one field of a message that has one: its last text, or all of them.
std::vector<std::string> Texts(pbf_reader reader) {
  std::vector<std::string> texts;
  while (reader.next()) {
    if (reader.tag() == 1 && reader.wire_type() == pbf_wire_type::length_delimited) {
      texts.push_back(reader.get_string());
    } else {
      reader.skip();
    }
  }
  return texts;
}

Value DecodeForm(const ProtoMessage& message, pbf_reader reader, int depth) {
  switch (message.form) {
    case Form::kTime:
      return DecodeTime(reader, false);
    case Form::kMicroTime:
      return DecodeTime(reader, true);
    case Form::kDuration: {
      std::int64_t ns = 0;
      while (reader.next()) {
        if (reader.tag() == 1 && reader.wire_type() == pbf_wire_type::varint) {
          ns = reader.get_int64();
        } else {
          reader.skip();
        }
      }
      return Value::Of(FormatDuration(Nanoseconds(ns)));
    }
    case Form::kQuantity: {
      const std::vector<std::string> texts = Texts(reader);
      return Value::Of(texts.empty() || texts.back().empty() ? "0" : texts.back());
    }
    case Form::kIntOrString:
      return DecodeIntOrString(reader);
    case Form::kRaw: {
      const std::vector<std::string> texts = Texts(reader);
      if (texts.empty()) return Value();
      auto tree = value::ParseJson(texts.back());
      if (!tree.ok()) throw std::invalid_argument(std::string(Message(tree.status())));
      return *std::move(tree);
    }
    case Form::kList: {
      std::vector<Value> items;
      for (const std::string& text : Texts(reader)) items.push_back(Value::Of(text));
      return Value::Array(std::move(items));
    }
    case Form::kObject:
      break;
  }
  return DecodeMessage(message, reader, depth);
}

// nullopt for a wire type that is not the field's.
std::optional<Value> DecodeSingle(const ProtoField& field, pbf_reader& reader, int depth) {
  const pbf_wire_type wire = reader.wire_type();
  switch (field.type) {
    case Type::kBool:
      if (wire != pbf_wire_type::varint) return std::nullopt;
      return Value::Of(reader.get_bool());
    case Type::kInt:
      if (wire != pbf_wire_type::varint) return std::nullopt;
      return Value::Of(reader.get_int64());
    case Type::kDouble:
      if (wire != pbf_wire_type::fixed64) return std::nullopt;
      return Value::Double(reader.get_double());
    case Type::kString:
      if (wire != pbf_wire_type::length_delimited) return std::nullopt;
      return Value::Of(reader.get_string());
    case Type::kBytes:
      if (wire != pbf_wire_type::length_delimited) return std::nullopt;
      return Value::Of(value::Base64(reader.get_string()));
    case Type::kMessage:
      if (wire != pbf_wire_type::length_delimited) return std::nullopt;
      return DecodeForm(*field.message, reader.get_message(), depth + 1);
  }
  return std::nullopt;
}

// The value of a map's entry that has none.
Value ZeroOf(const ProtoField& field, int depth) {
  switch (field.type) {
    case Type::kInt:
      return Value::Of(0);
    case Type::kBool:
      return Value::Of(false);
    case Type::kDouble:
      return Value::Double(0);
    case Type::kMessage:
      return DecodeForm(*field.message, pbf_reader(), depth + 1);
    case Type::kString:
    case Type::kBytes:
      break;
  }
  return Value::Of("");
}

// Go writes every field that is no pointer; JSON leaves zero values out.
bool IsLeftOut(const ProtoField& field, const Value& v) {
  if (v.is_null()) return true;
  if (field.keeps_zero) return false;
  if (v.is_string()) return v.AsString().empty();
  if (v.is_bool()) return !v.AsBool();
  if (v.is_int()) return v.AsInt() == 0;
  return false;
}

void DecodeInto(const ProtoMessage& message, pbf_reader reader, int depth,
                std::map<std::uint32_t, std::vector<Value>>* lists,
                std::vector<std::pair<value::Atom, Value>>* members) {
  if (depth > kDeepest) throw std::invalid_argument("nested too deeply");
  std::map<std::uint32_t, value::ObjectBuilder> maps;
  while (reader.next()) {
    const ProtoField* const field = message.Find(reader.tag());
    if (field == nullptr) {
      reader.skip();
      continue;
    }
    if (field->embedded && reader.wire_type() == pbf_wire_type::length_delimited) {
      std::map<std::uint32_t, std::vector<Value>> own;
      DecodeInto(*field->message, reader.get_message(), depth + 1, &own, members);
      continue;
    }
    if (field->shape == Shape::kMap) {
      if (reader.wire_type() != pbf_wire_type::length_delimited) {
        reader.skip();
        continue;
      }
      pbf_reader entry = reader.get_message();
      std::string name;
      std::optional<Value> child;
      while (entry.next()) {
        if (entry.tag() == 1 && entry.wire_type() == pbf_wire_type::length_delimited) {
          name = entry.get_string();
        } else if (entry.tag() == 2) {
          child = DecodeSingle(*field, entry, depth);
          if (!child.has_value()) entry.skip();
        } else {
          entry.skip();
        }
      }
      if (!child.has_value()) child = ZeroOf(*field, depth);
      maps[field->number].Add(name, *std::move(child));
      continue;
    }
    std::optional<Value> v = DecodeSingle(*field, reader, depth);
    if (!v.has_value()) {
      reader.skip();
    } else if (field->shape == Shape::kRepeated) {
      (*lists)[field->number].push_back(*std::move(v));
    } else if (!IsLeftOut(*field, *v)) {
      members->emplace_back(field->name, *std::move(v));
    }
  }
  for (auto& [number, map] : maps) members->emplace_back(message.Find(number)->name, map.Build());
  for (auto& [number, items] : *lists) {
    members->emplace_back(message.Find(number)->name, Value::Array(std::move(items)));
  }
}

Value DecodeMessage(const ProtoMessage& message, pbf_reader reader, int depth) {
  std::map<std::uint32_t, std::vector<Value>> lists;
  std::vector<std::pair<value::Atom, Value>> members;
  DecodeInto(message, reader, depth, &lists, &members);
  value::ObjectBuilder tree;
  for (auto& [name, v] : members) tree.Add(name, std::move(v));
  return tree.Build();
}

std::string Envelope(std::string_view api_version, std::string_view kind, std::string_view raw) {
  std::string type;
  pbf_writer type_writer(type);
  type_writer.add_string(1, Data(api_version));
  type_writer.add_string(2, Data(kind));
  std::string bytes(kPrefix);
  pbf_writer writer(bytes);
  writer.add_message(kTypeMeta, type);
  writer.add_bytes(kRaw, Data(raw));
  writer.add_string(3, "");
  writer.add_string(4, "");
  return bytes;
}

// Errors of the wire format and of types come as exceptions; none leaves this file.
template <class Work>
auto Guarded(Work&& work) -> absl::StatusOr<decltype(work())> {
  try {
    return work();
  } catch (const protozero::exception& e) {
    return Bad(fmt::format("proto: {}", e.what()));
  } catch (const std::invalid_argument& e) {
    return Bad(e.what());
  }
}

}  // namespace

bool HasProtobuf(std::string_view api_version, std::string_view kind) {
  return ProtoTypes::Get().FindKind(api_version, kind) != nullptr;
}

absl::StatusOr<std::string> ToProtobuf(const Value& tree) {
  const std::string_view api_version = tree.Get("apiVersion").AsString();
  const std::string_view kind = tree.Get("kind").AsString();
  // APIVersions and APIGroup have no version.
  const ProtoMessage* const message =
      ProtoTypes::Get().FindKind(api_version.empty() ? "v1" : api_version, kind);
  if (message == nullptr) return Bad(fmt::format("{} {} has no protobuf form", api_version, kind));
  return Guarded([&] { return Envelope(api_version, kind, EncodeProto(*message, tree)); });
}

absl::StatusOr<std::string> ToProtobufEvent(std::string_view type, const Value& object) {
  ASSIGN_OR_RETURN(const std::string enveloped, ToProtobuf(object));
  std::string raw;
  pbf_writer(raw).add_bytes(1, enveloped);
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_string(1, Data(type));
  writer.add_message(2, raw);
  return bytes;
}

absl::StatusOr<Value> FromProtobuf(std::string_view bytes) {
  if (!bytes.starts_with(kPrefix)) {
    return Bad(
        "provided data does not appear to be a protobuf message, expected prefix "
        "[107 56 115 0]");
  }
  bytes.remove_prefix(kPrefix.size());
  return Guarded([&]() -> Value {
    std::string api_version, kind;
    std::string_view raw;
    pbf_reader reader(bytes.data(), bytes.size());
    while (reader.next()) {
      if (reader.wire_type() != pbf_wire_type::length_delimited) {
        reader.skip();
      } else if (reader.tag() == kTypeMeta) {
        pbf_reader type = reader.get_message();
        while (type.next()) {
          if (type.tag() == 1 && type.wire_type() == pbf_wire_type::length_delimited) {
            api_version = type.get_string();
          } else if (type.tag() == 2 && type.wire_type() == pbf_wire_type::length_delimited) {
            kind = type.get_string();
          } else {
            type.skip();
          }
        }
      } else if (reader.tag() == kRaw) {
        const protozero::data_view view = reader.get_view();
        raw = {view.data(), view.size()};
      } else {
        reader.skip();
      }
    }
    const ProtoMessage* const message = ProtoTypes::Get().FindKind(api_version, kind);
    if (message == nullptr) {
      throw std::invalid_argument(
          fmt::format("no kind \"{}\" is registered for version \"{}\"", kind, api_version));
    }
    Value tree = DecodeMessage(*message, pbf_reader(raw.data(), raw.size()), 0);
    return tree.Set("apiVersion", Value::Of(api_version)).Set("kind", Value::Of(kind));
  });
}

}  // namespace ksim::api
