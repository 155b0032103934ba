#include "ksim/trace/diff_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ksim/value/json.h"
#include "ksim/value/timestamp.h"

namespace ksim::trace {
namespace {

using value::Value;

template <std::size_t N>
bool In(const std::array<std::string_view, N>& set, std::string_view name) {
  return std::find(set.begin(), set.end(), name) != set.end();
}

// Not compared by meaning: numbers handed out by allocation, time and hashes of what holds them.
constexpr std::array<std::string_view, 9> kIgnored = {
    "id", "stream", "latency", "itemsHash", "continue", "request", "requests", "response", "first"};
// --trace-objects adds these fields for readers; no digest counts them.
constexpr std::array<std::string_view, 2> kForReaders = {"object", "body"};
constexpr std::array<std::string_view, 8> kRevisions = {
    "rv",    "prevRv", "revision",        "gotRv",
    "oldRv", "lastRv", "resourceVersion", "lastSyncedResourceVersion"};

constexpr std::array<std::string_view, 2> kUids = {"uid", "oldUid"};

bool IsTime(std::string_view text) {
  return text.size() >= 20 && text[4] == '-' && text[10] == 'T' && value::ParseTimestamp(text).ok();
}

bool ParseRevision(std::string_view text, std::int64_t* out) {
  if (text.empty() || text.size() > 18) return false;
  *out = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return false;
    *out = *out * 10 + (c - '0');
  }
  return true;
}

std::string Short(const Value& v) {
  std::string text = v.is_null() ? "(nothing)" : value::ToJson(v);
  if (text.size() > 80) text = text.substr(0, 77) + "...";
  return text;
}

}  // namespace

bool RecordEquality::SameRevision(std::int64_t a, std::int64_t b) {
  if (a == 0 || b == 0) return a == b;
  const auto right = to_right_.try_emplace(a, b);
  const auto left = to_left_.try_emplace(b, a);
  return right.first->second == b && left.first->second == a;
}

bool RecordEquality::SameText(std::string_view a, std::string_view b, std::string_view name) {
  // Equal uids may be of different objects.
  if (a == b && !In(kRevisions, name) && !In(kUids, name)) return true;
  std::int64_t x = 0, y = 0;
  if (In(kRevisions, name) && ParseRevision(a, &x) && ParseRevision(b, &y))
    return SameRevision(x, y);
  if (IsTime(a) && IsTime(b)) return true;
  return left_.Normalise(a) == right_.Normalise(b);
}

bool RecordEquality::Same(const Value& a, const Value& b, std::string_view name) {
  if (strict_) return a == b;
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_int() && In(kRevisions, name)) return SameRevision(a.AsInt(), b.AsInt());
  if (a.is_string()) return SameText(a.AsString(), b.AsString(), name);
  if (a.is_array()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!Same(a.at(i), b.at(i), name)) return false;
    return true;
  }
  if (!a.is_object()) return a == b;
  // A change of a place named like a revision holds revisions.
  const std::string_view path = a.Get("path").AsString();
  const std::string_view last = path.substr(path.rfind('.') + 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Value::Member& x = a.member(i);
    const Value::Member& y = b.member(i);
    if (x.name != y.name) return false;
    const std::string_view field = x.name.text();
    const bool change = !path.empty() && (field == "old" || field == "new");
    if (!Same(x.value, y.value, change ? last : field)) return false;
  }
  return true;
}

bool RecordEquality::IsSkipped(std::string_view field) const {
  return In(kForReaders, field) || (!strict_ && In(kIgnored, field));
}

std::vector<std::string> RecordEquality::DifferentFields(const Record& a, const Record& b) {
  std::vector<std::string> out;
  if (strict_) {
    if (a.seq != b.seq) out.push_back("seq");
    if (a.t != b.t) out.push_back("t");
    if (a.cause != b.cause) out.push_back("cause");
  }
  for (const Value::Member& m : a.fields) {
    const std::string_view name = m.name.text();
    if (IsSkipped(name)) continue;
    if (!Same(m.value, b.Get(name), name)) out.emplace_back(name);
  }
  for (const Value::Member& m : b.fields) {
    const std::string_view name = m.name.text();
    if (IsSkipped(name)) continue;
    const bool both = std::any_of(a.fields.begin(), a.fields.end(),
                                  [&](const Value::Member& x) { return x.name == m.name; });
    if (!both) out.emplace_back(name);
  }
  return out;
}

void RecordEquality::Places(const Value& a, const Value& b, const std::string& path,
                            std::string_view name, std::vector<std::string>* out) {
  if (a.type() == b.type() && a.is_object()) {
    std::vector<std::string_view> names;
    for (const Value::Member& m : a.members()) names.push_back(m.name.text());
    for (const Value::Member& m : b.members())
      if (!a.Has(m.name.text())) names.push_back(m.name.text());
    for (std::string_view n : names)
      Places(a.Get(n), b.Get(n), path.empty() ? std::string(n) : fmt::format("{}.{}", path, n), n,
             out);
    return;
  }
  if (a.type() == b.type() && a.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      Places(a.at(i), b.at(i), fmt::format("{}[{}]", path, i), name, out);
    return;
  }
  if (!Same(a, b, name)) out->push_back(fmt::format("{}: {} -> {}", path, Short(a), Short(b)));
}

std::vector<std::string> RecordEquality::DifferentPlaces(const Value& a, const Value& b) {
  std::vector<std::string> out;
  Places(a, b, "", "", &out);
  return out;
}

}  // namespace ksim::trace
