#include "tests/whole/actors/recorded_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "tests/apiserver/asker.h"
#include "tests/whole/actors/actor_world.h"

namespace ksim {

using value::Value;

namespace {

std::string MaskedNames(const std::string& text) {
  static const std::regex kUid("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  static const std::regex kLetters("-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9-])");
  return std::regex_replace(std::regex_replace(text, kUid, "UID"), kLetters, "-*");
}

// " WHAT TEXT", or nothing.
std::string If(std::string_view what, std::string_view text) {
  return text.empty() ? "" : fmt::format(" {} {}", what, text);
}

std::string Conditions(const api::Object& object) {
  std::string out;
  for (const Value& c : object.status().Get("conditions").items())
    out += fmt::format("; {}={} {}: {}", c.Get("type").AsString(), c.Get("status").AsString(),
                       c.Get("reason").AsString(), c.Get("message").AsString());
  return out;
}

std::string PodLine(const api::Object& pod) {
  const auto owner = pod.controller();
  return fmt::format(
      "pod {} {}{}{}{}{}{}", pod.name(), pod.status().Get("phase").AsString(),
      If("on", pod.node_name()), If("nominated", pod.status().Get("nominatedNodeName").AsString()),
      If("of", owner ? owner->name : ""), pod.deleting() ? " deleting" : "", Conditions(pod));
}

std::string ReplicaSetLine(const api::Object& rs) {
  std::string line = fmt::format("replicaset {}{}", rs.name(), rs.deleting() ? " deleting" : "");
  for (const char* count : {"replicas", "fullyLabeledReplicas", "readyReplicas",
                            "availableReplicas", "terminatingReplicas", "observedGeneration"})
    line += fmt::format(" {}", rs.status().Get(count).AsInt());
  return line + Conditions(rs);
}

std::string EventLine(const api::Object& event) {
  const Value& e = event.tree();
  const std::int64_t count = std::max(e.Get("count").AsInt(), e.Get("series").Get("count").AsInt());
  return fmt::format(
      "event {} {} x{} {}/{}{} by {}{}: {}", e.Get("type").AsString(), e.Get("reason").AsString(),
      count, e.Get("involvedObject").Get("kind").AsString(),
      e.Get("involvedObject").Get("name").AsString(),
      If("for", e.Get("related").Get("name").AsString()), e.Get("reportingComponent").AsString(),
      If("doing", e.Get("action").AsString()), e.Get("message").AsString());
}

}  // namespace

std::vector<std::string> OutcomeOf(const Value& a_case, api::Compat compat) {
  ActorWorld world(compat);
  world.StartScheduler();
  world.StartReplicaSets();
  apiserver::Asker asker(world.api);
  for (const Value& step : a_case.Get("steps").items()) {
    if (step.Get("settle").is_null()) {
      asker.Ask(step);
    } else {
      world.Advance(Seconds(step.Get("settle").AsInt()));
    }
  }
  std::vector<std::string> lines;
  for (const api::Object& pod : world.List("pods")) lines.push_back(MaskedNames(PodLine(pod)));
  for (const api::Object& rs : world.List("replicasets"))
    lines.push_back(MaskedNames(ReplicaSetLine(rs)));
  for (const api::Object& event : world.List("events"))
    lines.push_back(MaskedNames(EventLine(event)));
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace ksim
