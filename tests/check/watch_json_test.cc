// Streams of real clusters: kubectl get -w --output-watch-events -o json.
#include "ksim/check/watch_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ksim::check {
namespace {

std::string Pod(const char* name, int rv, const char* uid) {
  return fmt::format(
      "{{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Pod\",\n    \"metadata\": {{\n"
      "        \"name\": \"{}\",\n        \"namespace\": \"default\",\n"
      "        \"annotations\": {{\"note\": \"a brace }} and a \\\"quote\\\"\"}},\n"
      "        \"resourceVersion\": \"{}\",\n        \"uid\": \"{}\"\n    }}\n}}",
      name, rv, uid);
}

std::string Event(const char* type, const char* name, int rv, const char* uid = "u1") {
  return fmt::format("{{\n    \"type\": \"{}\",\n    \"object\": {}\n}}\n", type,
                     Pod(name, rv, uid));
}

std::string List(int rv, const std::string& items) {
  return fmt::format(
      "{{\"apiVersion\": \"v1\", \"kind\": \"List\", \"metadata\": {{\"resourceVersion\": "
      "\"{}\"}}, \"items\": [{}]}}",
      rv, items);
}

std::string Show(const std::string& stream, const std::string& list = "") {
  const auto events = ParseJsonStream(stream);
  if (!events.ok()) return std::string(events.status().message());
  value::Value list_value;
  if (!list.empty()) list_value = ParseJsonStream(list)->front();
  const auto verdicts = JudgeWatchJson(*events, list_value);
  if (!verdicts.ok()) return std::string(verdicts.status().message());
  std::string out;
  for (const Verdict& v : *verdicts) {
    if (v.state == Verdict::State::kOk) out += v.oracle + " ok\n";
    for (const Finding& f : v.findings) out += v.oracle + ": " + f.violation.message + "\n";
  }
  return out;
}

// Items first, in the list's order; then changes.
const std::string kStart = Event("ADDED", "b", 120) + Event("ADDED", "a", 100, "u2");
const std::string kList = List(130, Pod("b", 120, "u1") + "," + Pod("a", 100, "u2"));

const std::string kKubectlList =
    "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"metadata\": {\"resourceVersion\": \"\"}, "
    "\"items\": [" +
    Pod("b", 120, "u1") + "," + Pod("a", 100, "u2") + "]}";

TEST(WatchJson, WhatARealClusterPrintsIsJudged) {
  struct Case {
    const char* what;
    std::string stream, list, want;
  };
  const std::string good = kStart + Event("MODIFIED", "a", 131, "u2") +
                           Event("ADDED", "c", 135, "u3") + Event("DELETED", "b", 140);
  const Case cases[] = {
      {"without a list", good, "", "watch.ordered ok\nwatch.unique ok\n"},
      {"with it", good, kList, "watch.ordered ok\nwatch.unique ok\nwatch.reliable ok\n"},
      {"a change again", good + Event("DELETED", "b", 140), "",
       "watch.ordered ok\nwatch.unique: event 6: Pod/default/b at revision 140: DELETED comes "
       "again\n"},
      {"older after newer", good + Event("MODIFIED", "a", 133, "u2"), "",
       "watch.ordered: event 6: Pod/default/a at revision 133: MODIFIED comes after revision "
       "140\nwatch.unique ok\n"},
      {"an update of what was never created", kStart + Event("MODIFIED", "c", 135, "u3"), kList,
       "watch.ordered ok\nwatch.unique ok\nwatch.reliable: event 3: Pod/default/c at revision "
       "135: MODIFIED, and it was not there: its creation is missing\n"},
      {"recreated without a deletion", kStart + Event("ADDED", "a", 135, "u9"), kList,
       "watch.ordered ok\nwatch.unique ok\nwatch.reliable: event 3: Pod/default/a at revision "
       "135: ADDED, and it was there: its deletion is missing\n"},
      {"as kubectl prints a list: no revision of its own", good, kKubectlList,
       "watch.ordered ok\nwatch.unique ok\nwatch.reliable ok\n"},
      {"older than the newest item of such a list", kStart + Event("ADDED", "c", 119, "u3"),
       kKubectlList,
       "watch.ordered: event 3: Pod/default/c at revision 119: ADDED comes after the list at "
       "revision 120\nwatch.unique ok\nwatch.reliable ok\n"},
      {"changed between the list and the watch",
       Event("ADDED", "b", 131) + Event("ADDED", "a", 100, "u2") + Event("DELETED", "b", 140),
       kList, "watch.ordered ok\nwatch.unique ok\nwatch.reliable ok\n"},
      {"decimal, not text",
       kStart + Event("MODIFIED", "a", 999, "u2") + Event("MODIFIED", "a", 1000, "u2"), kList,
       "watch.ordered ok\nwatch.unique ok\nwatch.reliable ok\n"},
      {"nothing but the list", kStart, "", ""},
      {"cut", kStart + "{\"type\": \"ADD", "", "line 29: the object that begins here does not end"},
      {"no watch event", Pod("a", 1, "u"), "", "event 1 is no watch event: want type and object"},
  };
  for (const Case& c : cases) EXPECT_EQ(Show(c.stream, c.list), c.want) << c.what;
}

}  // namespace
}  // namespace ksim::check
