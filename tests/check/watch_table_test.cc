// Tables of real clusters: kubectl get -w, with and without --output-watch-events.
#include "ksim/check/watch_table.h"

#include <gtest/gtest.h>

#include "ksim/check/kubectl_output.h"

namespace ksim::check {
namespace {

const std::string kHead = "EVENT      NAME   READY   STATUS    RESTARTS     AGE\n";
const std::string kFirstTable = kHead +
                                "ADDED      a      0/1     Pending   0            0s\n"
                                "ADDED      b      1/1     Running   2 (5m ago)   3h\n";

std::string Told(const std::string& table) {
  std::string out;
  for (const Verdict& v : JudgeWatchTable(table)) {
    if (v.state == Verdict::State::kOk) out += v.oracle + " ok\n";
    for (const Finding& f : v.findings) out += v.oracle + ": " + f.violation.message + "\n";
  }
  return out;
}

TEST(WatchTable, WhatATableShowsIsJudged) {
  struct Case {
    const char* what;
    std::string table, want;
  };
  const std::string deleted = kFirstTable + "DELETED    a      1/1     Running   0            5s\n";
  const Case cases[] = {
      {"a correct one", deleted + "ADDED      a      0/1     Pending   0            0s\n",
       "watch.reliable ok\n"},
      {"created twice", kFirstTable + "ADDED      a      0/1     Pending   0            1s\n",
       "watch.reliable: event 3: a: ADDED, and it was there: its deletion is missing\n"},
      {"changed after its deletion",
       deleted + "MODIFIED   a      1/1     Running   0            6s\n",
       "watch.reliable: event 4: a: MODIFIED, and it was deleted: its creation is missing\n"},
      {"deleted twice", deleted + "DELETED    a      1/1     Running   0            6s\n",
       "watch.reliable: event 4: a: DELETED, and it was deleted: its creation is missing\n"},
      {"older after newer",
       kFirstTable + "MODIFIED   b      1/1     Running   2 (5m ago)   2h59m\n",
       "watch.ordered: event 3: b: MODIFIED at the age of 10740 s comes after one of 10800 s\n"
       "watch.reliable ok\n"},
      {"the same name in two namespaces",
       "EVENT   NAMESPACE   NAME   AGE\nADDED   x           a      5s\nADDED   y           a      "
       "1s\n",
       "watch.reliable ok\n"},
      {"without events", "NAME   READY   AGE\na      0/1     3s\na      1/1     2s\n", ""},
      {"nothing but the head", kHead, ""},
  };
  for (const Case& c : cases) EXPECT_EQ(Told(c.table), c.want) << c.what;
}

TEST(WatchTable, AVerdictNamesTheFlagThatWouldTellMore) {
  const auto why = [](const std::string& table, std::string_view oracle) {
    for (const Verdict& v : JudgeWatchTable(table))
      if (v.oracle == oracle) return v.why;
    return std::string("no such oracle");
  };
  const std::string more = "kubectl prints it with --output-watch-events -o json";
  EXPECT_EQ(why(kFirstTable, "watch.ordered"), "a table has no resourceVersion: " + more);
  EXPECT_EQ(why("NAME   AGE\na      1s\n", "watch.reliable"),
            "a table without the column EVENT does not show it: " + more);
  EXPECT_EQ(why(kHead, "watch.unique"), "there is no change in it");
}

TEST(WatchTable, AgesAreThoseOfKubectl) {
  const std::pair<const char*, std::optional<std::int64_t>> cases[] = {{"0s", 0},
                                                                       {"59s", 59},
                                                                       {"2m30s", 150},
                                                                       {"3h5m", 11'100},
                                                                       {"3d4h", 273'600},
                                                                       {"1y", 31'536'000},
                                                                       {"<unknown>", std::nullopt},
                                                                       {"", std::nullopt},
                                                                       {"5", std::nullopt}};
  for (const auto& [text, seconds] : cases) EXPECT_EQ(SecondsOfAge(text), seconds) << text;
}

TEST(KubectlOutput, AFileIsToldByItsBeginning) {
  const std::pair<const char*, KubectlOutput> cases[] = {
      {"{\"ksim\":\"trace\",\"version\":1}\n", KubectlOutput::kNone},
      {"{\"type\": \"ADDED\", \"object\": {}}\n", KubectlOutput::kJson},
      {"\n{\n  \"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {}\n}",
       KubectlOutput::kJson},
      {"NAME   READY   AGE\n", KubectlOutput::kTable},
      {"NAMESPACE   NAME\n", KubectlOutput::kTable},
      {"EVENT   NAME\n", KubectlOutput::kTable},
      {"NAME of nothing\n", KubectlOutput::kNone},
      {"{\"a\": 1}", KubectlOutput::kNone},
      {"{", KubectlOutput::kNone},
      {"", KubectlOutput::kNone},
  };
  for (const auto& [text, output] : cases) EXPECT_EQ(KubectlOutputOf(text), output) << text;
}

}  // namespace
}  // namespace ksim::check
