// Streams of real clusters: kubectl get -w --output-watch-events -o json.
#include "ksim/check/watch_json.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ksim::check {
namespace {

std::string Pod(const char* name, std::string_view rv, const char* uid) {
  return fmt::format(
      "{{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Pod\",\n    \"metadata\": {{\n"
      "        \"name\": \"{}\",\n        \"namespace\": \"default\",\n"
      "        \"annotations\": {{\"note\": \"a brace }} and a \\\"quote\\\"\"}},\n"
      "        \"resourceVersion\": \"{}\",\n        \"uid\": \"{}\"\n    }}\n}}",
      name, rv, uid);
}

std::string Pod(const char* name, int rv, const char* uid) {
  return Pod(name, std::to_string(rv), uid);
}

std::string EventOf(const char* type, const std::string& object) {
  return fmt::format("{{\n    \"type\": \"{}\",\n    \"object\": {}\n}}\n", type, object);
}

std::string Event(const char* type, const char* name, int rv, const char* uid = "u1") {
  return EventOf(type, Pod(name, rv, uid));
}

// An ERROR event, whose object is a Status and no pod.
std::string Error(int code) {
  return EventOf("ERROR", fmt::format("{{\"apiVersion\": \"v1\", \"kind\": \"Status\", "
                                      "\"metadata\": {{}}, \"code\": {}}}",
                                      code));
}

std::string Bookmark(int rv) {
  return EventOf("BOOKMARK", fmt::format("{{\"apiVersion\": \"v1\", \"kind\": \"Pod\", "
                                         "\"metadata\": {{\"resourceVersion\": \"{}\"}}}}",
                                         rv));
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
  absl::StatusOr<value::Value> parsed = value::Value();
  if (!list.empty()) parsed = ParseJsonList(list);
  if (!parsed.ok()) return std::string(parsed.status().message());
  const auto verdicts = JudgeWatchJson(*events, *parsed);
  if (!verdicts.ok()) return std::string(verdicts.status().message());
  std::string out = events->missing.empty() ? "" : events->missing + "\n";
  for (const Verdict& v : *verdicts) {
    if (v.state == Verdict::State::kOk) out += v.oracle + " ok\n";
    for (const Finding& f : v.findings) out += v.oracle + ": " + f.violation.message + "\n";
  }
  return out;
}

// The stream has the items first, in the list's order, and then the changes.
const std::string kStart = Event("ADDED", "b", 120) + Event("ADDED", "a", 100, "u2");
const std::string kList = List(130, Pod("b", 120, "u1") + "," + Pod("a", 100, "u2"));

const std::string kKubectlList =
    "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"metadata\": {\"resourceVersion\": \"\"}, "
    "\"items\": [" +
    Pod("b", 120, "u1") + "," + Pod("a", 100, "u2") + "]}";

TEST(WatchJson, StreamsOfRealClustersAreJudged) {
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
  };
  for (const Case& c : cases) EXPECT_EQ(Show(c.stream, c.list), c.want) << c.what;
}

// Without a list the stream shows what is there of the objects that it has told of.
TEST(WatchJson, AStreamAloneMayContradictItself) {
  struct Case {
    const char* what;
    std::string stream, want;
  };
  const std::string silent = "watch.ordered ok\nwatch.unique ok\n";
  const std::string gone = kStart + Event("DELETED", "b", 131);
  const auto unreliable = [&silent](const char* what) {
    return silent + "watch.reliable: event " + what + "\n";
  };
  const Case cases[] = {
      {"made again after its deletion", gone + Event("ADDED", "b", 132, "u9"), silent},
      {"changed after its deletion", gone + Event("MODIFIED", "b", 132),
       unreliable("4: Pod/default/b at revision 132: MODIFIED, and it was not there: its creation "
                  "is missing")},
      {"deleted twice", gone + Event("DELETED", "b", 132),
       unreliable("4: Pod/default/b at revision 132: DELETED, and it was not there: its creation "
                  "is missing")},
      {"made again without a deletion",
       kStart + Event("MODIFIED", "a", 131, "u2") + Event("ADDED", "a", 132, "u2"),
       unreliable("4: Pod/default/a at revision 132: ADDED, and it was there: its deletion is "
                  "missing")},
      {"another uid", kStart + Event("MODIFIED", "a", 131, "u9"),
       unreliable("3: Pod/default/a at revision 131: MODIFIED with another uid: a deletion and a "
                  "creation are missing")},
      {"of what was never told", kStart + Event("MODIFIED", "c", 131, "u3"), silent},
      {"after an error nothing is known", gone + Error(410) + Event("MODIFIED", "b", 132), silent},
  };
  for (const Case& c : cases) EXPECT_EQ(Show(c.stream), c.want) << c.what;
}

// -w -o json without --output-watch-events: the items, then an object for each change.
TEST(WatchJson, ObjectsWithoutEventsShowTheirOrder) {
  struct Case {
    const char* what;
    std::string stream, want;
  };
  const std::string items = Pod("b", 120, "u1") + "\n" + Pod("a", 100, "u2") + "\n";
  const Case cases[] = {
      {"nothing but the items", items, ""},
      {"changes in their order", items + Pod("a", 131, "u2") + Pod("c", 132, "u3"),
       "watch.ordered ok\n"},
      {"a deletion with the revision of what it deleted",
       items + Pod("a", 131, "u2") + Pod("a", 131, "u2"), "watch.ordered ok\n"},
      {"older after newer", items + Pod("a", 131, "u2") + Pod("c", 129, "u3"),
       "watch.ordered: event 4: Pod/default/c at revision 129: it comes after revision 131\n"},
      {"older than an item", items + Pod("a", 110, "u2"),
       "watch.ordered: event 3: Pod/default/a at revision 110: it comes after revision 120\n"},
      {"a list", List(130, Pod("b", 120, "u1")),
       "line 1 column 1: event 1 is a list: give it with --list FILE"},
  };
  for (const Case& c : cases) EXPECT_EQ(Show(c.stream), c.want) << c.what;
}

// The stream does not show where the initial items end, but all of them precede the first change.
TEST(WatchJson, ChangesAreNewerThanAllItems) {
  struct Case {
    const char* what;
    std::string stream, list, want;
  };
  const std::string silent = "watch.ordered ok\nwatch.unique ok\n";
  const std::string with_list = silent + "watch.reliable ok\n";
  const std::string created = kStart + Event("ADDED", "c", 153, "u3");
  const auto out_of_order = [](const char* what) {
    return fmt::format("watch.ordered: event {}\nwatch.unique ok\n", what);
  };
  const Case cases[] = {
      {"a creation and a change", created + Event("MODIFIED", "a", 154, "u2"), "", silent},
      {"the change before the creation", created + Event("MODIFIED", "a", 152, "u2"), "",
       out_of_order("4: Pod/default/a at revision 152: MODIFIED comes after an ADDED at revision "
                    "153")},
      {"a change older than an item", kStart + Event("MODIFIED", "a", 119, "u2"), "",
       out_of_order("3: Pod/default/a at revision 119: MODIFIED comes after an ADDED at revision "
                    "120")},
      {"a bookmark older than an item", kStart + Bookmark(119) + Event("MODIFIED", "a", 131, "u2"),
       "", out_of_order("3: Pod// at revision 119: a bookmark goes back")},
      {"with a list: items made and changed after it, in any order",
       Event("ADDED", "d", 139, "u4") + Event("ADDED", "c", 137, "u3") + Event("ADDED", "b", 138) +
           Event("ADDED", "a", 100, "u2") + Event("MODIFIED", "a", 140, "u2"),
       kList, with_list},
      {"a change older than those",
       Event("ADDED", "b", 138) + Event("ADDED", "a", 100, "u2") +
           Event("MODIFIED", "a", 137, "u2"),
       kList,
       out_of_order("3: Pod/default/a at revision 137: MODIFIED comes after an ADDED at revision "
                    "138") +
           "watch.reliable ok\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(Show(c.stream, c.list), c.want) << c.what;
}

// The events after an ERROR belong to another watch, with a list of its own or without.
TEST(WatchJson, AnErrorEndsWhatIsKnown) {
  const std::string broken = kStart + Event("MODIFIED", "a", 131, "u2") + Error(410);
  const std::string again = broken + Event("ADDED", "b", 120) + Event("ADDED", "a", 170, "u2");
  struct Case {
    const char* what;
    std::string stream, want;
  };
  const std::string silent = "watch.ordered ok\nwatch.unique ok\nwatch.reliable ok\n";
  const Case cases[] = {
      {"a list", again + Event("MODIFIED", "a", 171, "u2"), silent},
      {"no list", broken + Event("MODIFIED", "b", 132) + Event("DELETED", "a", 133, "u2"), silent},
      {"out of order after the list", again + Event("MODIFIED", "a", 169, "u2"),
       "watch.ordered: event 7: Pod/default/a at revision 169: MODIFIED comes after an ADDED at "
       "revision 170\nwatch.unique ok\nwatch.reliable ok\n"},
      {"twice after it", again + Event("DELETED", "b", 172) + Event("DELETED", "b", 172),
       "watch.ordered ok\nwatch.unique: event 8: Pod/default/b at revision 172: DELETED comes "
       "again\nwatch.reliable ok\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(Show(c.stream, kList), c.want) << c.what;
}

TEST(WatchJson, ARevisionIsADecimalIntegerOfAnyLength) {
  struct Case {
    const char *what, *first, *second, *want;
  };
  const char* silent = "watch.ordered ok\nwatch.unique ok\n";
  const char* no_decimal = "line 29 column 1: event 3 has no decimal metadata.resourceVersion";
  const Case cases[] = {
      {"beyond 64 bits", "99999999999999999999999", "100000000000000000000000", silent},
      {"of one length", "99999999999999999999998", "99999999999999999999999", silent},
      {"back", "100000000000000000000000", "99999999999999999999999",
       "watch.ordered: event 4: Pod/default/a at revision 99999999999999999999999: MODIFIED comes "
       "after revision 100000000000000000000000\nwatch.unique ok\n"},
      {"zeros in front", "0131", "132", no_decimal},
      {"a sign", "+131", "132", no_decimal},
      {"nothing", "", "132", no_decimal},
  };
  for (const Case& c : cases) {
    const std::string stream = kStart + EventOf("MODIFIED", Pod("a", c.first, "u2")) +
                               EventOf("MODIFIED", Pod("a", c.second, "u2"));
    EXPECT_EQ(Show(stream), c.want) << c.what;
  }
}

TEST(WatchJson, ACutStreamIsJudgedUpToItsEnd) {
  const std::string good = kStart + Event("MODIFIED", "a", 131, "u2");
  const std::string bad = good + Event("MODIFIED", "b", 125);
  const std::string next = Event("DELETED", "b", 140);
  const std::string silent = "watch.ordered ok\nwatch.unique ok\n";
  for (std::size_t n = 1; n + 1 < next.size(); ++n)
    EXPECT_EQ(Show(good + next.substr(0, n)),
              "cut in the middle of the object that begins in line 43; 3 before it can be read\n" +
                  silent)
        << next.substr(0, n);
  EXPECT_EQ(Show(bad + next.substr(0, 30)),
            "cut in the middle of the object that begins in line 57; 4 before it can be read\n"
            "watch.ordered: event 4: Pod/default/b at revision 125: MODIFIED comes after revision "
            "131\nwatch.unique ok\n");
}

TEST(WatchJson, WhatIsWrongHasAPlace) {
  struct Case {
    const char* what;
    std::string stream, list, want;
  };
  const Case cases[] = {
      {"no watch event", "{\"a\": 1}", "",
       "line 1 column 1: event 1 is no watch event: want type and object"},
      {"no JSON", "hello", "", "line 1 column 1: expected '{', the beginning of an object"},
      {"a value is missing", "{}\n  {\"type\": }", "", "line 2 column 12: expected a value"},
      {"a brace is missing, and the next one begins", "{\"type\": {}\n" + kStart, "",
       "line 2 column 1: expected ',' or '}'"},
      {"a list that is cut", kStart, kList.substr(0, 90),
       "line 1 column 1: cut in the middle of the object that begins in line 1; 0 before it can be "
       "read"},
      {"no list", kStart, Pod("a", 1, "u"),
       "line 1 column 1: want one List, as `kubectl get pods -o json` prints it"},
      {"a list's item without a revision", kStart, List(130, Pod("b", "x", "u1")),
       "line 1 column 1: the list's Pod/default/b has no decimal resourceVersion"},
  };
  for (const Case& c : cases) EXPECT_EQ(Show(c.stream, c.list), c.want) << c.what;
}

// CRD-27: a Service of core's and one of another group are two, whatever their names.
TEST(WatchJson, TwoKindsOfOneNameAreTwo) {
  const auto service = [](const char* version, int rv, const char* uid) {
    return fmt::format(
        "{{\"apiVersion\": \"{}\", \"kind\": \"Service\", \"metadata\": {{\"name\": "
        "\"a\", \"namespace\": \"d\", \"resourceVersion\": \"{}\", \"uid\": \"{}\"}}}}",
        version, rv, uid);
  };
  const std::string knative = "serving.knative.dev/v1";
  const std::string said = Show(EventOf("ADDED", service("v1", 5, "u1")) +
                                    EventOf("ADDED", service(knative.c_str(), 6, "u2")) +
                                    EventOf("MODIFIED", service("v1", 7, "u1")) +
                                    EventOf("DELETED", service(knative.c_str(), 8, "u2")),
                                List(3, ""));
  EXPECT_NE(said, "");
  EXPECT_EQ(said.find(": "), std::string::npos) << said;
}

}  // namespace
}  // namespace ksim::check
