#include "ksim/trace/state.h"

#include <fmt/format.h>

#include "ksim/base/hash.h"
#include "ksim/base/status.h"
#include "ksim/base/time.h"
#include "ksim/trace/changes.h"
#include "ksim/trace/record.h"
#include "ksim/value/partial_hash.h"

namespace ksim::trace {
namespace {

using value::Value;

absl::StatusOr<std::int64_t> ParseNumber(std::string_view text) {
  if (text.empty() || text.size() > 18) return absl::InvalidArgumentError("not a number");
  std::int64_t n = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return absl::InvalidArgumentError("not a number");
    n = n * 10 + (c - '0');
  }
  return n;
}

}  // namespace

absl::StatusOr<Moment> ParseMoment(std::string_view text) {
  Moment moment;
  if (text == "end") return moment;
  const auto bad = [text] {
    return absl::InvalidArgumentError(
        fmt::format("\"{}\" is not a moment: want a time such as 1.5s, seq:N, rv:N or end", text));
  };
  const bool seq = text.starts_with("seq:");
  if (seq || text.starts_with("rv:")) {
    const absl::StatusOr<std::int64_t> n = ParseNumber(text.substr(text.find(':') + 1));
    if (!n.ok()) return bad();
    moment.kind = seq ? Moment::Kind::kSeq : Moment::Kind::kRevision;
    moment.value = *n;
    return moment;
  }
  if (text.starts_with("+")) text.remove_prefix(1);
  const absl::StatusOr<Duration> d = ParseDuration(text);
  if (!d.ok() || d->ns() < 0) return bad();
  moment.kind = Moment::Kind::kTime;
  moment.value = d->ns();
  return moment;
}

absl::Status State::Apply(const Record& commit) {
  revision_ = commit.Int("revision");
  time_ = commit.t;
  Key key{std::string(commit.Text("resource")), std::string(commit.Text("namespace")),
          std::string(commit.Text("name"))};
  if (commit.Text("op") == "delete") {
    objects_.erase(key);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::vector<value::Change> changes,
                   ChangesFromTree(commit.Get("changed")));
  const auto it = objects_.find(key);
  const bool create = commit.Text("op") == "create";
  if (!create && it == objects_.end())
    return absl::InvalidArgumentError(fmt::format("seq {} updates {}/{}, which is not there",
                                                  commit.seq, key.resource, key.name));
  const Value before = create ? Value() : it->second.tree();
  Value after = value::Apply(before, changes);
  objects_[std::move(key)] = api::Object::FromTree(std::move(after), commit.Int("rv"));
  return absl::OkStatus();
}

void State::Put(std::string_view resource, api::Object object) {
  Key key{std::string(resource), std::string(object.ns()), std::string(object.name())};
  objects_[std::move(key)] = std::move(object);
}

std::vector<api::Object> State::List(std::string_view resource, std::string_view ns) const {
  std::vector<api::Object> out;
  for (const auto& [key, object] : objects_) {
    if (!resource.empty() && key.resource != resource) continue;
    if (ns.empty() || key.ns == ns) out.push_back(object);
  }
  return out;
}

api::Object State::Get(std::string_view resource, std::string_view ns,
                       std::string_view name) const {
  const auto it = objects_.find(Key{std::string(resource), std::string(ns), std::string(name)});
  return it == objects_.end() ? api::Object() : it->second;
}

absl::StatusOr<std::size_t> EventsBy(const Trace& trace, const Moment& moment) {
  std::int64_t last = 0, revision = 0;
  std::size_t n = 0;
  for (const Record& r : trace.events) {
    const bool commit = r.kind == sim::EventKind::kCommit;
    if (moment.kind == Moment::Kind::kTime && r.t > moment.value) return n;
    if (moment.kind == Moment::Kind::kSeq && static_cast<std::int64_t>(r.seq) > moment.value)
      return n;
    if (moment.kind == Moment::Kind::kRevision && commit && r.Int("revision") > moment.value)
      return n;
    last = r.t;
    if (commit) revision = r.Int("revision");
    ++n;
  }
  const std::int64_t end = trace.end ? trace.end->time : last;
  const std::int64_t reached = moment.kind == Moment::Kind::kTime  ? end
                               : moment.kind == Moment::Kind::kSeq ? static_cast<std::int64_t>(n)
                               : moment.kind == Moment::Kind::kRevision ? revision
                                                                        : moment.value;
  if (moment.value <= reached) return n;
  return absl::OutOfRangeError(fmt::format(
      "the trace {} before that: at {}, seq {}, rv {}", trace.end ? "ends" : "is cut short",
      FormatTime(VirtualTime(end)), trace.events.size(), revision));
}

absl::StatusOr<State> StateAt(const Trace& trace, const Moment& moment) {
  ASSIGN_OR_RETURN(const std::size_t n, EventsBy(trace, moment));
  State state;
  for (std::size_t i = 0; i < n; ++i)
    if (trace.events[i].kind == sim::EventKind::kCommit)
      RETURN_IF_ERROR(state.Apply(trace.events[i]));
  const std::int64_t last = n == 0 ? 0 : trace.events[n - 1].t;
  const bool at_end = moment.kind == Moment::Kind::kEnd;
  state.set_time(moment.kind == Moment::Kind::kTime ? moment.value
                 : at_end && trace.end              ? trace.end->time
                                                    : last);
  return state;
}

std::string OutcomeDigest(const std::vector<api::Object>& objects) {
  // Two runs with equal outcomes differ in these all the same.
  static const value::Atom kNotCounted[] = {value::Atom("uid"), value::Atom("resourceVersion")};
  std::string all;
  for (const api::Object& object : objects) {
    char bytes[8];
    PutLittleEndian(bytes, value::HashWithout(object.tree(), kNotCounted));
    all.append(bytes, sizeof(bytes));
  }
  return Hex(Hash128(all));
}

}  // namespace ksim::trace
