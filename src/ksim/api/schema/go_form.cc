#include "ksim/api/schema/go_form.h"

#include <utility>
#include <vector>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/schema/go_types.h"

namespace ksim::api {
namespace {

using value::Value;
using Kind = GoType::Kind;

class Former {
 public:
  Former(bool writes_zero_creation, bool drops_empty)
      : writes_zero_creation_(writes_zero_creation), drops_empty_(drops_empty) {}

  Value Form(const GoType& type, const Value& v) const {
    if (v.is_null()) return type.pointer ? v : Zero(type);
    if (type.kind == Kind::kStruct && v.is_object()) return Struct(type.fields(), v);
    if (type.kind == Kind::kSlice && v.is_array()) return Slice(*type.element, v);
    if (type.kind == Kind::kMap && v.is_object()) return Map(*type.element, v);
    return v;
  }

 private:
  Value Zero(const GoType& type) const {
    switch (type.kind) {
      case Kind::kString:
        return Value::Of("");
      case Kind::kBool:
        return Value::Of(false);
      case Kind::kInt32:
      case Kind::kInt64:
      case Kind::kFloat64:
      case Kind::kIntOrString:
        return Value::Of(0);
      case Kind::kDuration:
        return Value::Of("0s");
      case Kind::kQuantity:
        return Value::Of("0");
      case Kind::kStruct:
        return Struct(type.fields(), Value::EmptyObject());
      default:
        return Value();
    }
  }

  bool IsAlwaysWritten(const GoField& field, const GoType& type) const {
    if (field.always) return true;
    if (type.pointer) return false;
    if (type.kind == Kind::kStruct) return true;
    if (type.kind != Kind::kTime && type.kind != Kind::kMicroTime) return false;
    return writes_zero_creation_ || field.name != Fields().creation_timestamp;
  }

  bool IsDropped(const GoType& type, const Value& v) const {
    return drops_empty_ && (type.kind == Kind::kSlice || type.kind == Kind::kMap) &&
           (v.is_array() || v.is_object()) && v.empty();
  }

  // Both the struct's fields and the object's members are sorted by name.
  Value Struct(const GoStruct& of, const Value& v) const {
    value::ObjectBuilder out;
    const auto& members = v.members();
    auto next = members.begin();
    for (const GoField& field : of.fields) {
      for (; next != members.end() && next->name.text() < field.name.text(); ++next)
        out.Add(next->name, next->value);
      const GoType& type = *field.type;
      if (next != members.end() && next->name == field.name) {
        if (!IsDropped(type, next->value)) {
          out.Add(field.name, Form(type, next->value));
        } else if (field.always) {
          out.Add(field.name, Value());
        }
        ++next;
      } else if (IsAlwaysWritten(field, type)) {
        out.Add(field.name, Form(type, Value()));
      }
    }
    for (; next != members.end(); ++next) out.Add(next->name, next->value);
    return out.Build();
  }

  Value Slice(const GoType& item, const Value& v) const {
    if (item.kind != Kind::kStruct) return v;
    std::vector<Value> items;
    items.reserve(v.size());
    for (const Value& i : v.items()) items.push_back(Form(item, i));
    return Value::Array(std::move(items));
  }

  Value Map(const GoType& item, const Value& v) const {
    if (item.kind != Kind::kStruct) return v;
    value::ObjectBuilder out;
    for (const Value::Member& m : v.members()) out.Add(m.name, Form(item, m.value));
    return out.Build();
  }

  const bool writes_zero_creation_;
  const bool drops_empty_;
};

class Likener {
 public:
  Value Like(const GoType& type, const Value& old, const Value& v) const {
    if (v.SameTree(old)) return v;
    if (type.kind == Kind::kStruct && v.is_object() && old.is_object())
      return Struct(type.fields(), old, v);
    if (type.kind == Kind::kSlice && v.is_array() && old.is_array())
      return Slice(*type.element, old, v);
    if (type.kind == Kind::kMap && v.is_object() && old.is_object())
      return Map(*type.element, old, v);
    return v;
  }

 private:
  // Go's zero value of the type, or one that is stored as that.
  bool IsZero(const GoType& type, const Value& v) const {
    if (v.is_null()) return true;
    switch (type.kind) {
      case Kind::kSlice:
      case Kind::kMap:
        return (v.is_array() || v.is_object()) && v.empty();
      case Kind::kStruct:
        return !type.pointer && v.is_object() && IsZeroStruct(type.fields(), v);
      case Kind::kString:
        return !type.pointer && v.is_string() && v.AsString().empty();
      case Kind::kBool:
        return !type.pointer && v.is_bool() && !v.AsBool();
      case Kind::kInt32:
      case Kind::kInt64:
        return !type.pointer && v.is_int() && v.AsInt() == 0;
      default:
        return false;
    }
  }

  bool IsZeroStruct(const GoStruct& of, const Value& v) const {
    for (const Value::Member& m : v.members()) {
      const GoField* const field = of.Find(m.name);
      if (field == nullptr || !IsZero(*field->type, m.value)) return false;
    }
    return true;
  }

  Value Struct(const GoStruct& of, const Value& old, const Value& v) const {
    value::ObjectBuilder out;
    for (const Value::Member& m : v.members()) {
      const GoField* const field = of.Find(m.name);
      const Value* const before = old.Find(m.name);
      if (field == nullptr) {
        out.Add(m.name, m.value);
      } else if (before != nullptr) {
        out.Add(m.name, Like(*field->type, *before, m.value));
      } else if (!IsZero(*field->type, m.value)) {
        out.Add(m.name, m.value);
      }
    }
    for (const Value::Member& m : old.members()) {
      const GoField* const field = of.Find(m.name);
      if (field != nullptr && v.Find(m.name) == nullptr && IsZero(*field->type, m.value)) {
        out.Add(m.name, m.value);
      }
    }
    return out.Build();
  }

  Value Slice(const GoType& item, const Value& old, const Value& v) const {
    std::vector<Value> items;
    items.reserve(v.size());
    for (std::size_t i = 0; i < v.size(); ++i)
      items.push_back(i < old.size() ? Like(item, old.at(i), v.at(i)) : v.at(i));
    return Value::Array(std::move(items));
  }

  Value Map(const GoType& item, const Value& old, const Value& v) const {
    value::ObjectBuilder out;
    for (const Value::Member& m : v.members()) {
      const Value* const before = old.Find(m.name);
      out.Add(m.name, before == nullptr ? m.value : Like(item, *before, m.value));
    }
    return out.Build();
  }
};

}  // namespace

Value InFormOf(const ResourceInfo& kind, const Value& old, const Value& tree) {
  const GoType* const type = TypeOf(kind);
  return type == nullptr ? tree : Likener().Like(*type, old, tree);
}

Value GoForm(const ResourceInfo& kind, const Value& tree, Compat compat, Stored stored) {
  const GoType* const type = TypeOf(kind);
  if (type == nullptr) return tree;
  return Former(ProfileOf(compat).writes_zero_creation, stored == Stored::kYes).Form(*type, tree);
}

}  // namespace ksim::api
