#include "ksim/trace/trace_claims.h"

#include <fmt/format.h>

#include <set>

#include "ksim/value/diff.h"
#include "ksim/value/json.h"

namespace ksim::trace {
namespace {

using value::Value;

constexpr std::string_view kHeaderHash = "header";

std::string ShortText(const std::optional<Value>& v) {
  constexpr std::size_t kLongest = 80;
  std::string text = v ? value::ToJson(*v) : "(nothing)";
  if (text.size() > kLongest) text = text.substr(0, kLongest - 3) + "...";
  return text;
}

std::vector<std::string> PlacesThatDiffer(const Value& left, const Value& right) {
  std::vector<std::string> out;
  for (const value::Change& c : value::Diff(left, right))
    out.push_back(
        fmt::format("{}: {} -> {}", c.path.ToString(), ShortText(c.before), ShortText(c.after)));
  return out;
}

// The lines as they were read, or as they would be written.
Value FirstLine(const Trace& trace) {
  return trace.first_line.is_null() ? value::ParseJson(ToJsonLine(trace.header)).value_or(Value())
                                    : trace.first_line;
}

Value LastLine(const Trace& trace) {
  return trace.last_line.is_null() ? value::ParseJson(ToJsonLine(*trace.end)).value_or(Value())
                                   : trace.last_line;
}

bool SameFirstLines(const Trace& left, const Trace& right) {
  return FirstLine(left) == FirstLine(right);
}

// Its result, and the oracles that were violated.
std::string VerdictOf(const End& end) {
  std::set<std::string> oracles;
  for (const Violation& v : end.violations) oracles.insert(v.oracle);
  std::string out = end.result;
  for (const std::string& o : oracles) out += fmt::format(" {}", o);
  return out;
}

void AddAlteredHeader(const char* side, const Trace& trace, std::vector<std::string>* out) {
  const Value& hash = trace.last_line.Get(kHeaderHash);
  if (hash.is_null() || hash.AsString() == HashOfHeader(trace.first_line)) return;
  out->push_back(fmt::format("the first line of {} was altered since it was written", side));
}

void AddDigests(const End& left, const End& right, bool same_events,
                std::vector<std::string>* out) {
  const bool same_digest = left.digest == right.digest;
  if (same_digest && !same_events && !left.digest.empty())
    out->push_back(fmt::format(
        "both say digest {}, and their events differ: it is not the digest of both", left.digest));
  if (!same_digest && same_events)
    out->push_back(fmt::format("the events are the same, and the digests are not: {} -> {}",
                               left.digest, right.digest));
}

}  // namespace

bool ClaimToBeOneRun(const Trace& left, const Trace& right) {
  const bool same_digest =
      left.end && right.end && !left.end->digest.empty() && left.end->digest == right.end->digest;
  return same_digest || SameFirstLines(left, right);
}

std::vector<std::string> HeaderDifferences(const Trace& left, const Trace& right) {
  std::vector<std::string> out = PlacesThatDiffer(FirstLine(left), FirstLine(right));
  // A seed stands in three places.
  const std::string seed = fmt::format("seed: {} -> {}", left.header.seed, right.header.seed);
  std::erase_if(out, [&](const std::string& place) {
    return place == "scenario.spec." + seed || place == "strategy." + seed;
  });
  return out;
}

std::vector<std::string> ClaimDifferences(const Trace& left, const Trace& right, bool exact,
                                          bool same_events) {
  std::vector<std::string> out;
  AddAlteredHeader("A", left, &out);
  AddAlteredHeader("B", right, &out);
  if (!left.end || !right.end) return out;
  AddDigests(*left.end, *right.end, same_events, &out);
  if (!exact) {
    if (VerdictOf(*left.end) != VerdictOf(*right.end))
      out.push_back(fmt::format("verdict: {} -> {}", VerdictOf(*left.end), VerdictOf(*right.end)));
    return out;
  }
  Value a = LastLine(left), b = LastLine(right);
  // The hash follows from the first line, which is told by itself.
  if (!SameFirstLines(left, right) || left.last_line.is_null() || right.last_line.is_null()) {
    a = a.Erase(kHeaderHash);
    b = b.Erase(kHeaderHash);
  }
  for (std::string& place : PlacesThatDiffer(a, b))
    if (!place.starts_with("end.digest:") || !same_events) out.push_back(std::move(place));
  return out;
}

}  // namespace ksim::trace
