#include "ksim/trace/diff_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

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
// --trace-objects adds these fields for readers; no digest counts them. They repeat what the
// commits say: compared only to the letter, and only where both traces have them.
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

const Value* Find(const Record& r, std::string_view field) {
  for (const Value::Member& m : r.fields)
    if (m.name.text() == field) return &m.value;
  return nullptr;
}

// Names of the fields that one of the two events lacks or whose values are not the same.
template <class Compared, class Same>
std::vector<std::string> DifferentMembers(const Record& a, const Record& b, Compared compared,
                                          Same same) {
  std::vector<std::string> out;
  for (const Value::Member& m : a.fields) {
    const std::string_view name = m.name.text();
    if (!compared(name)) continue;
    const Value* other = Find(b, name);
    if (other == nullptr || !same(m.value, *other, name)) out.emplace_back(name);
  }
  for (const Value::Member& m : b.fields) {
    const std::string_view name = m.name.text();
    if (compared(name) && Find(a, name) == nullptr) out.emplace_back(name);
  }
  return out;
}

}  // namespace

bool RecordEquality::SameRevision(const Pair& of, std::int64_t a, std::int64_t b) const {
  return left_.revisions.Of(a, of.a) == right_.revisions.Of(b, of.b);
}

bool RecordEquality::SameText(const Pair& of, std::string_view a, std::string_view b,
                              std::string_view name) const {
  // Equal uids may be of different objects.
  if (a == b && !In(kRevisions, name) && !In(kUids, name)) return true;
  std::int64_t x = 0, y = 0;
  if (In(kRevisions, name) && ParseRevision(a, &x) && ParseRevision(b, &y))
    return SameRevision(of, x, y);
  if (IsTime(a) && IsTime(b)) return true;
  return left_.identities.Normalise(a) == right_.identities.Normalise(b);
}

bool RecordEquality::Same(const Pair& of, const Value& a, const Value& b,
                          std::string_view name) const {
  if (exact_) return a == b;
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_int() && In(kRevisions, name)) return SameRevision(of, a.AsInt(), b.AsInt());
  if (a.is_string()) return SameText(of, a.AsString(), b.AsString(), name);
  if (a.is_array()) {
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!Same(of, a.at(i), b.at(i), name)) return false;
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
    if (!Same(of, x.value, y.value, change ? last : field)) return false;
  }
  return true;
}

std::vector<std::string> RecordEquality::DifferentFields(const Record& a, const Record& b) const {
  if (exact_) return FieldsThatDiffer(a, b);
  return DifferentMembers(
      a, b, [](std::string_view field) { return !In(kForReaders, field) && !In(kIgnored, field); },
      [&](const Value& x, const Value& y, std::string_view name) {
        return Same({a, b}, x, y, name);
      });
}

std::vector<std::string> FieldsThatDiffer(const Record& a, const Record& b) {
  std::vector<std::string> out;
  if (a.seq != b.seq) out.emplace_back("seq");
  if (a.t != b.t) out.emplace_back("t");
  if (a.actor != b.actor) out.emplace_back("actor");
  if (a.kind != b.kind) out.emplace_back("kind");
  if (a.cause != b.cause) out.emplace_back("cause");
  const auto compared = [&](std::string_view field) {
    return !In(kForReaders, field) || (Find(a, field) != nullptr && Find(b, field) != nullptr);
  };
  const auto same = [](const Value& x, const Value& y, std::string_view) { return x == y; };
  for (std::string& field : DifferentMembers(a, b, compared, same)) out.push_back(std::move(field));
  return out;
}

std::vector<std::string> RecordEquality::DifferentChanges(const Record& a, const Record& b) const {
  // By path: in a, in b; null = the commit leaves the place alone.
  std::map<std::string_view, std::pair<const Value*, const Value*>> places;
  for (const Value& c : a.Get("changed").items()) places[c.Get("path").AsString()].first = &c;
  for (const Value& c : b.Get("changed").items()) places[c.Get("path").AsString()].second = &c;
  const auto text = [](const Value* change, std::string_view which) {
    return change == nullptr ? "(not changed)" : Short(change->Get(which));
  };
  std::vector<std::string> out;
  for (const auto& [path, change] : places) {
    const auto [x, y] = change;
    if (x != nullptr && y != nullptr && Same({a, b}, *x, *y, "changed")) continue;
    const bool both = x != nullptr && y != nullptr;
    const bool before = both && x->Get("new") == y->Get("new");
    const std::string_view which = before ? "old" : "new";
    out.push_back(fmt::format("{}{}: {} -> {}", path, before ? ", before" : "", text(x, which),
                              text(y, which)));
  }
  return out;
}

void RecordEquality::Places(const Value& a, const Value& b, const std::string& path,
                            std::string_view name, std::vector<std::string>* out) const {
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
  const Record none;
  if (!Same({none, none}, a, b, name))
    out->push_back(fmt::format("{}: {} -> {}", path, Short(a), Short(b)));
}

std::vector<std::string> RecordEquality::DifferentPlaces(const Value& a, const Value& b) const {
  std::vector<std::string> out;
  Places(a, b, "", "", &out);
  return out;
}

}  // namespace ksim::trace
