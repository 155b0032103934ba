// The four words of spec.expect over whole runs: what is met, what is told of it, and in which
// words.
#include "ksim/scenario/expectations.h"

#include <gtest/gtest.h>

#include "ksim/scenario/runner.h"
#include "tests/scenario/from_text.h"

namespace ksim::scenario {
namespace {

// Others make ConfigMaps, and take time to start.
const std::string kOneController = "  cluster: {controllers: [replicaset]}\n";

const std::string kLabelledPod =
    "{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {x: y}}, "
    "spec: {containers: [{name: c, image: nginx}]}}";

TEST(Expectations, ExpectationsAreJudgedOnWhatIsCommitted) {
  struct Case {
    std::string expect;
    bool met;
  };
  const Case cases[] = {
      {"{eventually: {resource: pods, selector: x=y, count: 1}}", true},
      {"{eventually: {resource: pods/a, where: status.phase == Running}}", true},
      {"{eventually: {resource: pods/a, where: status.phase == Running}, within: 1500ms}", false},
      {"{eventually: {resource: pods, selector: x=z}}", false},
      {"{eventually: {resource: pods, count: 2}}", false},
      {"{always: {resource: pods, count: {max: 1}}}", true},
      {"{always: {resource: pods, count: {max: 0}}}", false},
      {"{always: {resource: pods, where: status.phase == Pending}}", false},
      {"{always: {resource: pods, where: status.phase == Running}}", false},  // not from the start
      {"{always: {resource: pods, where: metadata.name == a}}", true},
      {"{eventually: {resource: pods, namespace: other}}", false},
      // No object of this kind was ever created.
      {"{always: {resource: configmaps, count: {min: 1}}}", false},
      {"{always: {resource: configmaps, count: {max: 1}}}", true},
      {"{always: {resource: configmaps, where: metadata.name == a}}", true},
      {"{finally: {resource: pods/a, where: status.phase == Running}}", true},
      {"{finally: {resource: pods/a, where: status.phase == Pending}}", false},
      {"{finally: {resource: pods, count: 0}}", false},
      {"{finally: {resource: configmaps, count: 0}}", true},
      {"{finally: {resource: configmaps}}", false},
      {"{eventually: {resource: pods, where: status.phase == Pending}}", true},
      {"{eventually: {resource: pods, where: status.phase == Pending}, lasts: false}", true},
      {"{eventually: {resource: pods, where: status.phase == Pending}, lasts: true}", false},
      {"{eventually: {resource: pods, where: status.phase == Running}, lasts: true}", true},
      {"{eventually: {resource: pods, where: status.phase == Running}, lasts: true, within: 1s}",
       false},
      {"{never: {resource: pods, where: status.phase == Failed}}", true},
      {"{never: {resource: pods, where: status.phase == Pending}}", false},
      {"{never: {resource: pods, where: status.phase == Pending}, after: 10s}", true},
      {"{never: {resource: pods, count: {min: 2}}}", true},
      {"{never: {resource: pods, count: 1}}", false},
      {"{always: {resource: pods, where: status.phase == Running}, after: 10s}", true},
      {"{always: {resource: pods, where: status.phase == Pending}, after: 10s}", false},
      {"{always: {resource: configmaps, count: {min: 1}}, after: 10s}", false}};
  for (const Case& c : cases) {
    Runner runner(FromSpec(kOneController + "  until: 20s\n  steps: [{at: 0s, create: {object: " +
                           kLabelledPod + "}}]\n  expect: [" + c.expect + "]\n"),
                  RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, c.met ? 0 : 1) << c.expect;
    EXPECT_EQ(report.end.violations.empty(), c.met) << c.expect;
  }
}

// A pod is there from 1 s to 20 s, and another resource never.
TEST(Expectations, AnExpectationThatSaysLittleIsTold) {
  struct Case {
    std::string expect, vacuous, not_lasting;
  };
  const std::string none = "no object that it speaks of was ever there";
  const std::string lost = "it held first at 1.";
  const Case cases[] = {
      {"{eventually: {resource: pods/a}}", "", lost},
      {"{eventually: {resource: pods/a}, lasts: false}", "", ""},
      {"{eventually: {resource: pods/a, where: status.phase == Running}}", "", "it held first at "},
      {"{eventually: {resource: pods/a, count: 0}}", "", ""},
      {"{eventually: {resource: configmaps, count: 0}}", none, ""},
      {"{finally: {resource: pods/a, count: 0}}", "", ""},
      {"{finally: {resource: pods/b, count: 0}}", none, ""},
      {"{always: {resource: pods, count: {max: 1}}}", "", ""},
      {"{always: {resource: pods, selector: x=y, count: {max: 1}}}", "", ""},
      {"{always: {resource: pods, selector: x=z, count: {max: 1}}}", none, ""},
      {"{always: {resource: pods, selector: x=z, where: status.phase == Failed}}", none, ""},
      {"{always: {resource: pods, namespace: other, where: status.phase == Failed}}", none, ""},
      {"{always: {resource: configmaps, count: 0}}", none, ""},
      {"{never: {resource: pods, where: status.phase == Failed}}", "", ""},
      {"{never: {resource: pods, selector: x=z, where: status.phase == Failed}}", none, ""},
      {"{never: {resource: configmaps}}", none, ""},
      // These say that there is no such pod, and there are pods of which that could be false.
      {"{never: {resource: pods, selector: x=z}}", "", ""},
      {"{always: {resource: pods/b, count: 0}}", "", ""},
      {"{never: {resource: pods, where: status.phase == Failed}, after: 10s}", "", ""},
      {"{never: {resource: pods, selector: x=z}, after: 10s}", "", ""},
      {"{never: {resource: pods, where: status.phase == Failed}, after: 1h}",
       "the run was over before 1h0m0s", ""}};
  for (const Case& c : cases) {
    Runner runner(FromSpec(kOneController +
                           "  until: 40s\n  steps:\n  - {at: 1s, create: {object: " + kLabelledPod +
                           "}}\n  - {at: 20s, delete: {resource: pods/a, gracePeriodSeconds: 0}}\n"
                           "  expect: [" +
                           c.expect + "]\n"),
                  RunnerOptions());
    const RunReport report = runner.Run();
    EXPECT_EQ(report.exit_code, 0) << c.expect;
    const auto why = [](const std::vector<ExpectationNote>& notes) {
      return notes.empty() ? std::string() : notes.front().why;
    };
    EXPECT_EQ(why(report.vacuous), c.vacuous) << c.expect;
    EXPECT_EQ(report.applied, std::vector<bool>{c.vacuous.empty()}) << c.expect;
    EXPECT_EQ(why(report.not_lasting).substr(0, c.not_lasting.size()), c.not_lasting) << c.expect;
    EXPECT_EQ(report.not_lasting.empty(), c.not_lasting.empty()) << c.expect;
  }
}

TEST(Expectations, AnExpectationThatDoesNotLastSaysFromWhenToWhen) {
  const std::pair<const char*, std::string> cases[] = {
      {"{eventually: {resource: pods/a}, lasts: true}",
       "eventually for good at least 1 pods/a: there are 0; it held first at 1."},
      {"{finally: {resource: pods/a}}",
       "finally at least 1 pods/a: there are 0; it held first at 1."},
      {"{finally: {resource: pods/b}}", "finally at least 1 pods/b: there are 0"},
      {"{eventually: {resource: pods, count: 0}, lasts: true, within: 10s}",
       "eventually for good 0 pods within 10s: it has held for good only since 20."}};
  for (const auto& [expect, told] : cases) {
    Runner runner(
        FromSpec(kOneController + "  steps:\n  - {at: 1s, create: {object: " + kLabelledPod +
                 "}}\n  - {at: 20s, delete: {resource: pods/a, gracePeriodSeconds: 0}}\n"
                 "  expect: [" +
                 expect + "]\n"),
        RunnerOptions());
    const RunReport report = runner.Run();
    ASSERT_EQ(report.end.violations.size(), 1u) << expect;
    EXPECT_EQ(report.end.violations[0].message.substr(0, told.size()), told);
  }
}

TEST(Expectations, AnExpectationThatCameTrueTooLateSaysWhen) {
  const std::pair<const char*, std::string> cases[] = {
      {"{eventually: {resource: pods, count: 1}, within: 5s}",
       "eventually 1 pods within 5s: it came true at 10."},
      {"{eventually: {resource: pods, count: 2}, within: 5s}",
       "eventually 2 pods within 5s: there is 1"}};
  for (const auto& [expect, told] : cases) {
    Runner runner(FromSpec(kOneController + "  steps: [{at: 10s, create: {object: " + kLabelledPod +
                           "}}]\n  expect: [" + expect + "]\n"),
                  RunnerOptions());
    const RunReport report = runner.Run();
    ASSERT_EQ(report.end.violations.size(), 1u) << expect;
    EXPECT_EQ(report.end.violations[0].message.substr(0, told.size()), told);
  }
}

}  // namespace
}  // namespace ksim::scenario
