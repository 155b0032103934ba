#include "ksim/api/schema/proto_encoder.h"

#include <cstdint>
#include <exception>
#include <optional>
#include <protozero/pbf_writer.hpp>
#include <string_view>

#include "fmt/format.h"
#include "ksim/base/time.h"
#include "ksim/value/base64.h"
#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::api {
namespace {

using protozero::pbf_writer;
using value::Value;

constexpr int kDeepestMessage = 200;  // nesting

protozero::data_view View(std::string_view text) { return {text.data(), text.size()}; }

std::string EncodeMessage(const ProtoMessage& message, const Value& tree, int depth);

// The message's seconds and nanoseconds (meta/v1 Time.ProtoTime).
std::string EncodeTime(const Value& text) {
  std::string bytes;
  if (!text.is_string()) return bytes;  // a zero time is an empty message
  const auto time = value::ParseTimestamp(text.AsString());
  if (!time.ok()) throw std::invalid_argument("a time that is none");
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t seconds = time->ns() / kSecond;
  std::int64_t nanos = time->ns() % kSecond;
  if (nanos < 0) {
    nanos += kSecond;
    --seconds;
  }
  pbf_writer writer(bytes);
  writer.add_int64(1, seconds + kEpochUnixSeconds);
  writer.add_int32(2, static_cast<std::int32_t>(nanos));
  return bytes;
}

std::string EncodeIntOrString(const Value& v) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_int64(1, v.is_string() ? 1 : 0);
  writer.add_int32(2, v.is_string() ? 0 : static_cast<std::int32_t>(v.AsInt()));
  writer.add_string(3, View(v.is_string() ? v.AsString() : std::string_view()));
  return bytes;
}

std::string EncodeForm(const ProtoMessage& message, const Value& v, int depth) {
  std::string bytes;
  pbf_writer writer(bytes);
  switch (message.form) {
    case ProtoMessage::Form::kTime:
    case ProtoMessage::Form::kMicroTime:
      return EncodeTime(v);
    case ProtoMessage::Form::kDuration: {
      const auto duration = ParseDuration(v.AsString());
      if (!duration.ok()) throw std::invalid_argument("a duration that is none");
      writer.add_int64(1, duration->ns());
      return bytes;
    }
    case ProtoMessage::Form::kQuantity:
      writer.add_string(1, v.is_string() ? std::string(v.AsString()) : value::ToJson(v));
      return bytes;
    case ProtoMessage::Form::kIntOrString:
      return EncodeIntOrString(v);
    case ProtoMessage::Form::kRaw:
      writer.add_bytes(1, value::ToJson(v));
      return bytes;
    case ProtoMessage::Form::kList:
      for (const Value& item : v.items()) writer.add_string(1, View(item.AsString()));
      return bytes;
    case ProtoMessage::Form::kObject:
      break;
  }
  return EncodeMessage(message, v, depth);
}

// The zero value of a message that is no pointer.
std::string EncodeZero(const ProtoMessage& message, int depth) {
  switch (message.form) {
    case ProtoMessage::Form::kObject:
      return EncodeMessage(message, Value::EmptyObject(), depth);
    case ProtoMessage::Form::kIntOrString:
      return EncodeIntOrString(Value::Of(0));
    case ProtoMessage::Form::kQuantity:
      return EncodeForm(message, Value::Of("0"), depth);
    case ProtoMessage::Form::kDuration:
      return EncodeForm(message, Value::Of("0s"), depth);
    default:
      return "";
  }
}

// Go writes a field that is no pointer also where it has its zero value; bytes that are nil not.
void AddZero(pbf_writer& writer, const ProtoField& field, int depth) {
  if (field.pointer || field.shape != ProtoField::Shape::kSingle) return;
  switch (field.type) {
    case ProtoField::Type::kString:
      return writer.add_string(field.number, "");
    case ProtoField::Type::kBool:
      return writer.add_bool(field.number, false);
    case ProtoField::Type::kInt:
      return writer.add_int64(field.number, 0);
    case ProtoField::Type::kDouble:
      return writer.add_double(field.number, 0);
    case ProtoField::Type::kBytes:
      return;
    case ProtoField::Type::kMessage:
      return writer.add_message(field.number, EncodeZero(*field.message, depth + 1));
  }
}

void AddSingle(pbf_writer& writer, std::uint32_t number, const ProtoField& field, const Value& v,
               int depth) {
  const auto must = [&](bool right) {
    if (!right) throw std::invalid_argument(fmt::format("{} has a wrong type", field.name.text()));
  };
  switch (field.type) {
    case ProtoField::Type::kString:
      must(v.is_string());
      return writer.add_string(number, View(v.AsString()));
    case ProtoField::Type::kBool:
      must(v.is_bool());
      return writer.add_bool(number, v.AsBool());
    case ProtoField::Type::kInt:
      must(v.is_int());
      return writer.add_int64(number, v.AsInt());
    case ProtoField::Type::kDouble:
      must(v.is_number());
      return writer.add_double(number, v.AsDouble());
    case ProtoField::Type::kBytes: {
      must(v.is_string());
      const std::optional<std::string> bytes = value::Unbase64(v.AsString());
      must(bytes.has_value());
      return writer.add_bytes(number, *bytes);
    }
    case ProtoField::Type::kMessage:
      return writer.add_message(number, EncodeForm(*field.message, v, depth + 1));
  }
}

std::string EncodeMessage(const ProtoMessage& message, const Value& tree, int depth) {
  if (depth > kDeepestMessage) throw std::invalid_argument("nested too deeply");
  std::string bytes;
  pbf_writer writer(bytes);
  for (const ProtoField& field : message.fields) {
    if (field.embedded) {
      writer.add_message(field.number, EncodeMessage(*field.message, tree, depth + 1));
      continue;
    }
    const Value& v = tree.Get(field.name);
    if (v.is_null()) {
      AddZero(writer, field, depth);
      continue;
    }
    switch (field.shape) {
      case ProtoField::Shape::kSingle:
        AddSingle(writer, field.number, field, v, depth);
        break;
      case ProtoField::Shape::kRepeated:
        for (const Value& item : v.items()) AddSingle(writer, field.number, field, item, depth);
        break;
      case ProtoField::Shape::kMap:
        for (const auto& [name, child] : v.members()) {
          std::string entry;
          pbf_writer entry_writer(entry);
          entry_writer.add_string(1, View(name.text()));
          AddSingle(entry_writer, 2, field, child, depth);
          writer.add_message(field.number, entry);
        }
        break;
    }
  }
  return bytes;
}

}  // namespace

std::string EncodeProto(const ProtoMessage& message, const Value& tree) {
  return EncodeMessage(message, tree, 0);
}

}  // namespace ksim::api
