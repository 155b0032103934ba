#include "ksim/cel/values/containers.h"

#include <cmath>

#include "ksim/cel/values/go_text.h"
#include "ksim/cel/values/operations.h"
#include "ksim/value/base64.h"

namespace ksim::cel {
namespace {

// Equal keys have equal texts: 1, 1u and 1.0 are one key.
std::string KeyText(const Val& key) {
  switch (key.kind()) {
    case ValKind::kInt:
      return "n" + std::to_string(key.AsInt());
    case ValKind::kUint:
      return "n" + std::to_string(key.AsUint());
    case ValKind::kDouble: {
      const double d = key.AsDouble();
      if (std::trunc(d) == d && d >= -9.2e18 && d < 9.2e18) {
        return "n" + std::to_string(static_cast<std::int64_t>(d));
      }
      return "d" + DoubleG(d);
    }
    case ValKind::kString:
      return "s" + std::string(key.AsText());
    case ValKind::kBool:
      return key.is_true() ? "t" : "f";
    default:
      return std::string(key.type_name()) + FormatLiteral(key);
  }
}

}  // namespace

EntryMap::EntryMap(std::vector<std::pair<Val, Val>> entries) {
  entries_.reserve(entries.size());
  for (auto& [key, val] : entries) {
    const auto [place, fresh] = places_.try_emplace(KeyText(key), entries_.size());
    if (fresh) {
      entries_.emplace_back(std::move(key), std::move(val));
    } else {
      entries_[place->second].second = std::move(val);
    }
  }
}

bool EntryMap::Insert(const Val& key, const Val& v) {
  if (!places_.try_emplace(KeyText(key), entries_.size()).second) return false;
  entries_.emplace_back(key, v);
  return true;
}

std::optional<Val> EntryMap::Find(const Val& key) const {
  const auto place = places_.find(KeyText(key));
  if (place == places_.end()) return std::nullopt;
  return entries_[place->second].second;
}

std::optional<Val> TreeMap::Find(const Val& key) const {
  if (!key.is_string()) return std::nullopt;
  if (!tree_.Has(key.AsText())) return std::nullopt;
  return FromTree(tree_.Get(key.AsText()));
}

Val ListNode::Concatenate(const Val& other) const {
  if (!other.is_list()) return Val::NoSuchOverload();
  std::vector<Val> items;
  items.reserve(size() + other.list().size());
  for (std::size_t i = 0; i < size(); ++i) items.push_back(at(i));
  for (std::size_t i = 0; i < other.list().size(); ++i) items.push_back(other.list().at(i));
  return Val::List(std::move(items));
}

Val ListNode::EqualTo(const Val& other) const {
  if (!other.is_list() || other.list().size() != size()) return Val::Bool(false);
  for (std::size_t i = 0; i < size(); ++i) {
    if (!IsEqual(at(i), other.list().at(i))) return Val::Bool(false);
  }
  return Val::Bool(true);
}

Val ListNode::Contains(const Val& item) const {
  for (std::size_t i = 0; i < size(); ++i) {
    if (IsEqual(item, at(i))) return Val::Bool(true);
  }
  return Val::Bool(false);
}

Val MapNode::EqualTo(const Val& other) const {
  if (!other.is_map() || other.map().size() != size()) return Val::Bool(false);
  for (std::size_t i = 0; i < visible(); ++i) {
    const std::optional<Val> theirs = other.map().Find(key(i));
    if (!theirs.has_value() || !IsEqual(value(i), *theirs)) return Val::Bool(false);
  }
  return Val::Bool(true);
}

Val FromTree(const value::Value& tree) {
  switch (tree.type()) {
    case value::Value::Type::kNull:
      return Val::Null();
    case value::Value::Type::kBool:
      return Val::Bool(tree.AsBool());
    case value::Value::Type::kInt:
      return Val::Int(tree.AsInt());
    case value::Value::Type::kDouble:
      return Val::Double(tree.AsDouble());
    case value::Value::Type::kString:
      return Val::String(tree);
    case value::Value::Type::kArray:
      return Val::List(std::make_shared<const TreeList>(tree));
    case value::Value::Type::kObject:
      return Val::Map(std::make_shared<const TreeMap>(tree));
  }
  return Val::Null();
}

std::optional<value::Value> ToTree(const Val& v) {
  switch (v.kind()) {
    case ValKind::kNull:
      return value::Value();
    case ValKind::kBool:
      return value::Value::Bool(v.is_true());
    case ValKind::kInt:
      return value::Value::Int(v.AsInt());
    case ValKind::kUint:
      if (v.AsUint() > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
      return value::Value::Int(v.AsInt());
    case ValKind::kDouble:
      return value::Value::Double(v.AsDouble());
    case ValKind::kString:
      return v.text_tree();
    case ValKind::kBytes:
      return value::Value::String(value::Base64(v.AsText()));
    case ValKind::kTimestamp:
      return value::Value::String(TimestampText(v));
    case ValKind::kDuration:
      return value::Value::String(DurationText(v.AsInt()));
    case ValKind::kList: {
      std::vector<value::Value> items;
      for (std::size_t i = 0; i < v.list().size(); ++i) {
        std::optional<value::Value> item = ToTree(v.list().at(i));
        if (!item.has_value()) return std::nullopt;
        items.push_back(*std::move(item));
      }
      return value::Value::Array(std::move(items));
    }
    case ValKind::kMap: {
      value::ObjectBuilder object;
      for (std::size_t i = 0; i < v.map().visible(); ++i) {
        std::optional<value::Value> item = ToTree(v.map().value(i));
        if (!item.has_value()) return std::nullopt;
        object.Add(v.map().key(i).ToText(), *std::move(item));
      }
      return object.Build();
    }
    case ValKind::kOptional:
      return v.optional_value() == nullptr ? value::Value() : ToTree(*v.optional_value());
    default:
      return std::nullopt;
  }
}

}  // namespace ksim::cel
