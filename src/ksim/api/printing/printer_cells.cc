#include "ksim/api/printing/printer_cells.h"

#include <fmt/format.h>

#include "ksim/value/quantity.h"
#include "ksim/value/selector.h"
#include "ksim/value/timestamp.h"

namespace ksim::api {

std::string AgeSince(std::optional<VirtualTime> then, VirtualTime now) {
  if (!then) return "<unknown>";
  return value::HumanDuration(now - *then);
}

std::string SelectorText(const value::Value& selector) {
  const auto parsed = value::LabelSelector::FromObject(selector);
  if (!parsed.ok()) return "<error>";
  const std::string text = parsed->ToString();
  return text.empty() ? "<none>" : text;
}

namespace cells {

using value::Value;

namespace {

const Value& TemplateContainers(const Object& o) {
  static const value::Path kPath{"spec", "template", "spec", "containers"};
  return o.Get(kPath);
}

}  // namespace

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

std::string JoinField(const Value& list, std::string_view field) {
  std::vector<std::string_view> texts;
  for (const Value& item : list.items()) texts.push_back(item.Get(field).AsString());
  return fmt::format("{}", fmt::join(texts, ","));
}

std::string JoinTexts(const std::vector<std::string>& texts, std::string_view separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

std::string Count(const Value& v) { return std::to_string(v.AsInt()); }

std::string YesNo(const Value& v) { return v.AsBool() ? "true" : "false"; }

std::string TextOr(const Value& v, std::string_view otherwise) {
  return v.is_null() ? std::string(otherwise) : Text(v);
}

std::string OrUnknown(const Value& v) {
  return v.AsString().empty() ? "<unknown>" : std::string(v.AsString());
}

std::string AmountText(const Value& v) {
  return value::Quantity::FromTree(v).value_or(value::Quantity()).ToString();
}

std::string ShortList(std::vector<std::string> texts) {
  const std::size_t more = texts.size() > kListedAtMost ? texts.size() - kListedAtMost : 0;
  texts.resize(texts.size() - more);
  return ListWithRest(texts, more);
}

std::string ListWithRest(const std::vector<std::string>& texts, std::size_t more) {
  std::string out = fmt::format("{}", fmt::join(texts, ","));
  return more == 0 ? out : fmt::format("{} + {} more...", out, more);
}

std::vector<std::string> NameAndCreation(const Object& o, VirtualTime) {
  static const value::Path kCreated{"metadata", "creationTimestamp"};
  const std::string created = Text(o.Get(kCreated));
  return {Name(o), created.empty() ? "0001-01-01T00:00:00Z" : created};
}

std::vector<std::string> WithContainers(std::vector<std::string> cells, const Object& o) {
  cells.push_back(JoinField(TemplateContainers(o), "name"));
  cells.push_back(JoinField(TemplateContainers(o), "image"));
  return cells;
}

std::vector<std::string> WithSelector(std::vector<std::string> cells, const Object& o) {
  cells = WithContainers(std::move(cells), o);
  cells.push_back(SelectorText(o.spec().Get("selector")));
  return cells;
}

}  // namespace cells
}  // namespace ksim::api
