#include "tests/apiserver/answer_versions.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

namespace ksim::apiserver {

using value::Value;

namespace {

std::optional<std::int64_t> WholeNumber(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return n;
}

std::string Related(std::string_view version, const Kept& kept) {
  const std::optional<std::int64_t> n = WholeNumber(version);
  if (!n) return "";
  std::optional<std::int64_t> newest;
  std::string name;
  for (const auto& [kept_name, text] : kept) {
    const std::optional<std::int64_t> k = WholeNumber(text);
    if (!k || *k > *n || (newest && *newest >= *k)) continue;
    newest = k;
    name = kept_name;
  }
  if (!newest) return "before";
  return *newest == *n ? name : "after " + name;
}

}  // namespace

Value VersionsIn(const Value& answer, const Kept& kept) {
  static const value::Path kVersion{"metadata", "resourceVersion"};
  std::vector<Value> versions;
  const auto add = [&](const Value& object) {
    versions.push_back(Value::Of(Related(object.Get(kVersion).AsString(), kept)));
  };
  if (answer.Has("events")) {
    for (const Value& event : answer.Get("events").items()) add(event.Get("object"));
    return Value::Array(std::move(versions));
  }
  const Value& body = answer.Get("body");
  add(body);
  for (const Value& item : body.Get("items").items()) add(item);
  return Value::Array(std::move(versions));
}

}  // namespace ksim::apiserver
