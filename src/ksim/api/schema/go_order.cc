#include "ksim/api/schema/go_order.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/schema/proto_types.h"
#include "ksim/value/json.h"

namespace ksim::api {
namespace {

using value::Value;

class GoWriter {
 public:
  void Object(const Value& object, const ProtoMessage& message) {
    begun_.push_back(false);
    text_ += '{';
    Named(object, "kind");
    Named(object, "apiVersion");
    Fields(object, message);
    text_ += '}';
    begun_.pop_back();
  }

  // meta/v1 Status, which no table of kinds has.
  void Status(const Value& status) {
    Named(status, {"kind", "apiVersion", "metadata", "status", "message", "reason"}, [&] {
      if (status.Has("details")) Details(status.Get("details"));
      if (status.Has("code")) Entry("code", status.Get("code"), nullptr);
    });
  }

  std::string Take() { return std::move(text_); }

 private:
  // The fields of these names in this order, and what `rest` adds.
  template <class Rest>
  void Named(const Value& v, std::initializer_list<std::string_view> names, Rest rest) {
    begun_.push_back(false);
    text_ += '{';
    for (const std::string_view name : names) Named(v, name);
    rest();
    text_ += '}';
    begun_.pop_back();
  }

  void Details(const Value& details) {
    Key("details");
    Named(details, {"name", "group", "kind", "uid"}, [&] {
      if (details.Has("causes")) {
        Key("causes");
        text_ += '[';
        bool first = true;
        for (const Value& cause : details.Get("causes").items()) {
          if (!std::exchange(first, false)) text_ += ',';
          Named(cause, {"reason", "message", "field"}, [] {});
        }
        text_ += ']';
      }
      Named(details, "retryAfterSeconds");
    });
  }

  void Message(const Value& v, const ProtoMessage& message) {
    if (!v.is_object() || message.form != ProtoMessage::Form::kObject) return Plain(v);
    begun_.push_back(false);
    text_ += '{';
    Fields(v, message);
    text_ += '}';
    begun_.pop_back();
  }

  // Fields that the struct does not have (a version's own) come last, by name.
  void Fields(const Value& v, const ProtoMessage& message) {
    for (const ProtoMessage::GoField& field : message.in_go) {
      if (field.embedded != nullptr)
        Embedded(v, *field.embedded);
      else
        Field(v, message, field.name);
    }
    for (const Value::Member& m : v.members())
      if (!Has(message, m.name) && m.name.text() != "kind" && m.name.text() != "apiVersion")
        Entry(m.name.text(), m.value, nullptr);
  }

  void Embedded(const Value& v, const ProtoMessage& message) {
    for (const ProtoMessage::GoField& field : message.in_go) Field(v, message, field.name);
  }

  static bool Has(const ProtoMessage& message, const value::Atom& name) {
    return std::any_of(
        message.in_go.begin(), message.in_go.end(), [&name](const ProtoMessage::GoField& field) {
          return field.embedded != nullptr ? Has(*field.embedded, name) : field.name == name;
        });
  }

  void Field(const Value& v, const ProtoMessage& message, const value::Atom& name) {
    if (!v.Has(name.text())) return;
    const auto field = std::find_if(message.fields.begin(), message.fields.end(),
                                    [&name](const ProtoField& f) { return f.name == name; });
    Entry(name.text(), v.Get(name), field == message.fields.end() ? nullptr : &*field);
  }

  void Named(const Value& v, std::string_view name) {
    if (v.Has(name)) Entry(name, v.Get(name), nullptr);
  }

  void Key(std::string_view name) {
    if (begun_.back()) text_ += ',';
    begun_.back() = true;
    text_ += value::ToJson(Value::String(name)) + ':';
  }

  void Entry(std::string_view name, const Value& v, const ProtoField* field) {
    Key(name);
    if (field == nullptr || field->message == nullptr) return Plain(v);
    if (field->shape == ProtoField::Shape::kSingle) return Message(v, *field->message);
    if (field->shape == ProtoField::Shape::kMap) return Map(v, *field->message);
    List(v, *field->message);
  }

  void List(const Value& v, const ProtoMessage& message) {
    if (!v.is_array()) return Plain(v);
    text_ += '[';
    bool first = true;
    for (const Value& item : v.items()) {
      if (!first) text_ += ',';
      first = false;
      Message(item, message);
    }
    text_ += ']';
  }

  void Map(const Value& v, const ProtoMessage& message) {
    if (!v.is_object()) return Plain(v);
    text_ += '{';
    bool first = true;
    for (const Value::Member& m : v.members()) {
      if (!first) text_ += ',';
      first = false;
      text_ += value::ToJson(Value::String(m.name.text())) + ':';
      Message(m.value, message);
    }
    text_ += '}';
  }

  void Plain(const Value& v) { text_ += value::ToJson(v); }

  std::string text_;
  std::vector<bool> begun_;  // whether the object that is being written has an entry
};

}  // namespace

std::string ToGoJson(const Value& object) {
  const std::string_view kind = object.Get("kind").AsString();
  const std::string_view api_version = object.Get("apiVersion").AsString();
  const bool status = kind == "Status" && api_version == "v1";
  const ProtoMessage* const message = ProtoTypes::Get().FindKind(api_version, kind);
  if ((message == nullptr && !status) || !object.is_object()) return value::ToJson(object);
  GoWriter writer;
  if (status)
    writer.Status(object);
  else
    writer.Object(object, *message);
  return writer.Take();
}

}  // namespace ksim::api
