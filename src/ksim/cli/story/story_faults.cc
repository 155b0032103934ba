#include "ksim/cli/story/story_faults.h"

#include <fmt/format.h>

#include "ksim/value/json.h"

namespace ksim::cli {
namespace {

using sim::EventKind;
using trace::Record;
using value::Value;

// The arguments that the target does not name already: "how error, redialAfter 5s".
std::string OtherArguments(const Value& args) {
  std::string out;
  for (const Value::Member& m : args.members()) {
    const std::string_view name = m.name.text();
    if (name == "client" || name == "server" || name == "process" || name == "actor" ||
        name == "node" || name == "with" || name == "resource" || name == "between")
      continue;
    const std::string text =
        m.value.is_string() ? std::string(m.value.AsString()) : value::ToJson(m.value);
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name, text);
  }
  return out;
}

bool IsFromEtcd(const Record& r) { return r.Text("server") == "etcd"; }

// As many watches as may end at one moment with a line for each.
constexpr std::size_t kFewEnds = 3;

std::string WatchText(const Record& r) {
  return fmt::format("{}'s watch of {}", r.Text("client"), r.Text("resource"));
}

}  // namespace

StoryFaults::StoryFaults(const std::vector<Record>& events, const StoryEvents& run)
    : from_fault_(run.last_seq() + 1) {
  for (const Record& r : events)
    if (r.kind == EventKind::kFault) has_faults_ = from_fault_[r.seq] = true;
  if (!has_faults_) return;
  FindConsequences(run);
  std::map<std::string, const Record*> begun;  // by id
  for (const Record& r : events) {
    if (r.kind == EventKind::kFault) {
      const Record*& begin = begun[std::string(r.Text("id"))];
      if (r.Text("state") == "begin") begin = &r;
      if (r.Text("state") == "end" && begin != nullptr && begin->t == r.t && r.cause == begin->seq)
        instants_.insert(r.seq);
    }
    if (r.kind == EventKind::kWatch && !IsFromEtcd(r) && IsFromFault(r) &&
        r.Text("state") == "open")
      resumed_by_stream_[r.Int("stream")] = {std::string(r.Text("client")), r.t};
    if (r.kind == EventKind::kWatch && r.Text("state") == "close") {
      ended_.emplace(r.Text("server"), r.Int("stream"));
      if (IsFromFault(r) && !IsFromEtcd(r)) ends_[KeyOfEnd(r)].watches.push_back(&r);
    }
  }
  delivered_.insert(run.delivered().begin(), run.delivered().end());
}

void StoryFaults::FindConsequences(const StoryEvents& run) {
  for (std::uint64_t seq = 1; seq <= run.last_seq(); ++seq)
    if (from_fault_[run.CauseOf(seq)]) from_fault_[seq] = true;
}

bool StoryFaults::IsLost(const Record& event) const {
  return has_faults_ && !IsFromEtcd(event) && ended_.contains({event.actor, event.Int("stream")}) &&
         delivered_.count({event.Int("stream"), event.Int("n")}) == 0;
}

StoryFaults::EndsKey StoryFaults::KeyOfEnd(const Record& r) {
  return {std::string(r.Text("server")), r.t, std::string(r.Text("reason"))};
}

const StoryFaults::Ends* StoryFaults::ManyEnds(const Record& r) const {
  const auto ends = ends_.find(KeyOfEnd(r));
  return ends != ends_.end() && ends->second.watches.size() > kFewEnds ? &ends->second : nullptr;
}

std::uint64_t StoryFaults::ToldAt(const Record& r) const {
  if (r.kind != EventKind::kWatch || r.Text("state") != "close" || !IsFromFault(r)) return 0;
  const Ends* const many = ManyEnds(r);
  return many == nullptr || many->watches[0]->seq == r.seq ? 0 : many->watches[0]->seq;
}

std::string StoryFaults::DescribeFault(const Record& r) const {
  const std::string_view state = r.Text("state");
  const std::string what = fmt::format("{} {}", r.Text("verb"), r.Text("target"));
  if (state == "begin") {
    const std::string with = OtherArguments(r.Get("args"));
    return fmt::format("FAULT {}{}", what, with.empty() ? "" : fmt::format(" ({})", with));
  }
  if (state == "skipped") return fmt::format("the fault {} had nothing to strike", what);
  return instants_.count(r.seq) != 0 ? "" : fmt::format("the fault {} is over", what);
}

std::string StoryFaults::DescribeWatch(const Record& r) const {
  if (!IsFromFault(r) || IsFromEtcd(r)) return "";
  const std::string watch = WatchText(r);
  if (r.Text("state") == "open")
    return fmt::format(
        "begins {} from rv {}", watch,
        r.Get("rv").is_string() ? std::string(r.Text("rv")) : value::ToJson(r.Get("rv")));
  if (const Ends* const many = ManyEnds(r))
    return fmt::format("ends {}, {} and {} other watches ({})", watch, WatchText(*many->watches[1]),
                       many->watches.size() - 2, r.Text("reason"));
  return fmt::format("ends {}, sent up to rv {} ({})", watch, r.Int("lastRv"), r.Text("reason"));
}

std::string StoryFaults::DescribeRelist(const Record& r) const {
  if (!IsFromFault(r)) return "";
  const std::string_view reason = r.Text("reason");
  const char* why = reason == "start"      ? "it has just started"
                    : reason == "expired"  ? "410: its version had expired"
                    : reason == "tooLarge" ? "its version was too large for the server"
                                           : "its watch had failed";
  return fmt::format("lists all {} anew ({}): {} at rv {}", r.Text("resource"), why, r.Int("items"),
                     r.Int("gotRv"));
}

// The line for an event that a watch sends when it begins again: a change since its version.
std::string StoryFaults::DescribeCatchUp(const Record& r) const {
  const auto stream = resumed_by_stream_.find(r.Int("stream"));
  if (IsFromEtcd(r) || stream == resumed_by_stream_.end() || stream->second.second != r.t)
    return "";
  const std::string_view type = r.Text("type");
  if (type == "BOOKMARK") return "";
  if (type == "ERROR") return fmt::format("tells {}: ERROR", stream->second.first);
  return fmt::format("tells {} what it missed: {} {}/{}, rv {}", stream->second.first, type,
                     r.Text("resource"), r.Text("name"), r.Int("rv"));
}

std::string StoryFaults::Describe(const Record& r) const {
  switch (r.kind) {
    case EventKind::kFault:
      return DescribeFault(r);
    case EventKind::kPhase:
      return has_faults_ && r.Text("name") == "heal"
                 ? "nothing else is left to do: every fault ends"
                 : "";
    case EventKind::kWatch:
      return DescribeWatch(r);
    case EventKind::kRelist:
      return DescribeRelist(r);
    case EventKind::kEvent:
      return DescribeCatchUp(r);
    default:
      return "";
  }
}

}  // namespace ksim::cli
