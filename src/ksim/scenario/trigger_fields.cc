#include "ksim/scenario/trigger_fields.h"

#include <algorithm>
#include <iterator>

#include "ksim/fault/catalogue.h"
#include "ksim/scenario/schema.h"

namespace ksim::scenario {
namespace {

using Kind = sim::EventKind;

struct Words {
  Kind kind;
  std::string_view field;
  std::vector<std::string_view> words;
};

std::vector<std::string_view> StepVerbs() {
  std::vector<std::string_view> names = StepType().names();
  std::erase_if(names, [](std::string_view n) { return n == "at" || n == "when" || n == "as"; });
  return names;
}

const std::vector<Words>& AllWords() {
  static const std::vector<std::string_view> types{"ADDED", "MODIFIED", "DELETED", "BOOKMARK",
                                                   "ERROR"};
  static const std::vector<Words> all{
      {Kind::kRequest,
       "verb",
       {"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"}},
      {Kind::kResponse, "from", {"", "store", "cache"}},
      {Kind::kStage,
       "stage",
       {"authenticate", "authorize", "default", "admit", "validate", "store"}},
      {Kind::kCommit, "op", {"create", "update", "delete"}},
      {Kind::kWatch, "state", {"open", "close"}},
      {Kind::kEvent, "type", types},
      {Kind::kDeliver, "type", types},
      {Kind::kHandler, "type", {"add", "update", "delete"}},
      {Kind::kRelist, "reason", {"start", "expired", "tooLarge", "error"}},
      {Kind::kReconcile, "state", {"begin", "end"}},
      {Kind::kFault, "verb", fault::VerbNames()},
      {Kind::kFault, "plan", {"scripted", "drawn"}},
      {Kind::kFault, "state", {"begin", "end", "skipped"}},
      {Kind::kPhase, "name", {"workload", "faults", "heal", "settle", "end"}},
      {Kind::kActor, "state", {"start", "stop", "kill", "lead", "lose"}},
      {Kind::kStep, "verb", StepVerbs()},
      {Kind::kStep, "state", {"begin", "end"}},
      {Kind::kViolation, "oracle", NamesOf(Oracles())},
      {Kind::kWebhook, "type", {"mutating", "validating", "converting"}},
      {Kind::kWebhook, "state", {"call", "answer"}},
      {Kind::kWebhook,
       "result",
       {"", "allowed", "patched", "denied", "failed", "ignored", "converted"}}};
  return all;
}

template <std::size_t N>
bool Contains(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Where a watch or a list begins is text: "" and "0" mean different things.
bool IsNumber(Kind kind, std::string_view field) {
  static constexpr std::string_view kNumbers[] = {
      "code",   "items", "latency",  "revision", "sub",   "prevRv", "request", "stream",
      "lastRv", "n",     "response", "oldRv",    "gotRv", "first",  "round"};
  if (field == "id") return kind != Kind::kFault;
  if (field == "rv") return kind != Kind::kWatch && kind != Kind::kRelist;
  return Contains(kNumbers, field);
}

bool IsFlag(std::string_view field) {
  static constexpr std::string_view kFlags[] = {"lost", "initialEnd", "initial", "tombstone"};
  return Contains(kFlags, field);
}

}  // namespace

TriggerField TriggerFieldOf(Kind kind, std::string_view field) {
  TriggerField out;
  for (const Words& row : AllWords()) {
    if (row.kind != kind || row.field != field) continue;
    out.holds = TriggerField::Holds::kWord;
    out.words = row.words;
    return out;
  }
  if (field == "resource") out.holds = TriggerField::Holds::kResource;
  if (IsNumber(kind, field)) out.holds = TriggerField::Holds::kNumber;
  if (IsFlag(field)) out.holds = TriggerField::Holds::kFlag;
  return out;
}

}  // namespace ksim::scenario
