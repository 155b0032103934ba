// Values as the files of these tests write them: {"int": "1"}, {"list": [...]}.
#pragma once
#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "ksim/cel/functions/table.h"
#include "ksim/cel/values/go_text.h"
#include "ksim/cel/values/val.h"
#include "ksim/value/base64.h"
#include "ksim/value/value.h"

namespace ksim::cel {

inline std::int64_t IntOf(const value::Value& text) {
  return std::stoll(std::string(text.AsString()));
}

inline Val ValueOf(const value::Value& v) {
  const value::Value::Member& m = v.member(0);
  const std::string_view kind = m.name.text();
  if (kind == "int") return Val::Int(IntOf(m.value));
  if (kind == "uint") return Val::Uint(std::stoull(std::string(m.value.AsString())));
  if (kind == "double") return Val::Double(*ParseDouble(m.value.AsString()));
  if (kind == "bool") return Val::Bool(m.value.AsBool());
  if (kind == "string") return Val::String(m.value);
  if (kind == "bytes") return Val::Bytes(*value::Unbase64(m.value.AsString()));
  if (kind == "duration") return Val::Duration(IntOf(m.value));
  if (kind == "timestamp") {
    return Val::Timestamp(IntOf(m.value.at(0)), static_cast<std::int32_t>(m.value.at(1).AsInt()));
  }
  if (kind == "type") {
    auto type = std::make_shared<Type>();
    type->name = m.value.AsString();
    return Val::OfType(type);
  }
  if (kind == "list") {
    std::vector<Val> items;
    for (const value::Value& item : m.value.items()) items.push_back(ValueOf(item));
    return Val::List(std::move(items));
  }
  if (kind == "map") {
    std::vector<std::pair<Val, Val>> entries;
    for (const value::Value& e : m.value.items()) {
      entries.emplace_back(ValueOf(e.at(0)), ValueOf(e.at(1)));
    }
    return Val::Map(std::move(entries));
  }
  return Val::Null();
}

}  // namespace ksim::cel
