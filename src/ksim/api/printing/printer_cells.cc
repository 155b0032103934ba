#include "ksim/api/printing/printer_cells.h"

#include <fmt/format.h>

#include "ksim/api/printing/pod_printer.h"

namespace ksim::api::cells {

using value::Value;

std::string Name(const Object& o) { return std::string(o.name()); }
std::string Age(const Object& o, VirtualTime now) { return AgeSince(o.creation_time(), now); }
std::string Text(const Value& v) { return std::string(v.AsString()); }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string Labels(const Value& map) {
  std::string out;
  for (const Value::Member& m : map.members()) {
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", m.name.text(), m.value.AsString());
  }
  return out.empty() ? "<none>" : out;
}

std::string Join(const Value& list, std::string_view field) {
  std::vector<std::string_view> texts;
  for (const Value& item : list.items()) texts.push_back(item.Get(field).AsString());
  return fmt::format("{}", fmt::join(texts, ","));
}

}  // namespace ksim::api::cells
