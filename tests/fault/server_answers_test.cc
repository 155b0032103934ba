// Faults give only answers that a server could give: all kinds of writes, with all codes, in all
// profiles, and what campaigns draw. answer_truth.h judges the answers by the events alone.
#include "ksim/fault/server_answers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ksim/base/os.h"
#include "ksim/client/core/payloads.h"
#include "ksim/store/events.h"
#include "tests/fault/answer_truth.h"
#include "tests/fault/fault_run.h"

namespace ksim::fault {
namespace {

// One kind of write, and who sends it in a run of a few seconds.
struct Write {
  const char *what, *client, *verb, *resource, *subresource;
  bool generated = false;  // a create, the name of which the server makes
  bool versioned = false;  // it names a resourceVersion
};

constexpr Write kWrites[] = {
    {"a create", "kubectl", "create", "configmaps", ""},
    {"a create with a generated name", "kube-controller-manager", "create", "pods", "", true},
    {"an update of a status", "kube-controller-manager", "update", "replicasets", "status", false,
     true},
    {"a patch", "kubectl", "patch", "configmaps", ""},
    {"a patch of a status", "kubelet/node-1", "patch", "pods", "status"},
    {"a delete", "kubectl", "delete", "configmaps", ""},
    {"a delete by a controller", "kube-controller-manager", "delete", "pods", ""},
    {"a binding", "kube-scheduler", "create", "pods", "binding"},
    {"an eviction", "kubectl", "create", "pods", "eviction"},
};

// A user who creates, patches, evicts, scales and deletes.
std::string SpecWith(const std::string& fault) {
  return "  cluster: {nodes: 1}\n  checks: [store.linearizable]\n  steps:\n"
         "  - {at: 3s, create: {document: ReplicaSet/web}}\n"
         "  - {at: 4s, create: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: m}}}}\n"
         "  - {at: 4s, create: {object: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
         "{containers: [{name: c, image: nginx}]}}}}\n"
         "  - {at: 60s, patch: {resource: configmaps/m, type: merge, patch: {data: {a: b}}}}\n"
         "  - {at: 61s, evict: {pod: p}}\n"
         "  - {at: 62s, scale: {resource: replicasets/web, replicas: 3}}\n"
         "  - {at: 70s, scale: {resource: replicasets/web, replicas: 1}}\n"
         "  - {at: 120s, delete: {resource: configmaps/m}}\n"
         "  faults:\n  - {at: 2s, " +
         fault + "}\n";
}

struct Outcome {
  explicit Outcome(const std::string& spec, std::string_view compat) {
    scenario::Scenario s = FaultRun::Load(spec);
    s.compat = *api::ParseCompat(compat);
    runner = std::make_unique<scenario::Runner>(s, scenario::RunnerOptions());
    report = runner->Run();
  }
  // The first answer with the code to such a write; null if there is none.
  const client::ResponsePayload* Answer(const Write& write, int code) const {
    std::vector<std::uint64_t> asked;
    for (const sim::Event& e : runner->events()) {
      if (e.kind == sim::EventKind::kRequest) {
        const api::Request& q = e.payload.As<client::RequestPayload>().request;
        if (q.client == write.client && api::ToString(q.verb) == write.verb &&
            q.resource != nullptr && q.resource->resource == write.resource &&
            q.subresource == write.subresource)
          asked.push_back(q.id);
      } else if (e.kind == sim::EventKind::kResponse) {
        const auto& r = e.payload.As<client::ResponsePayload>();
        if (r.code == code && std::find(asked.begin(), asked.end(), r.id) != asked.end()) return &r;
      }
    }
    return nullptr;
  }
  std::unique_ptr<scenario::Runner> runner;
  scenario::RunReport report;
};

bool CanBeSaid(const Write& write, int code, std::string_view compat) {
  if (code != 409) return true;
  return write.versioned || (write.generated && compat != "1.36");
}

std::string Text(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& line : lines) all += line + "\n";
  return all;
}

// API-23
TEST(ServerAnswers, AreGivenToEachWriteWhereTheyCanBeTrue) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    for (const Write& write : kWrites) {
      for (const int code : RejectingCodes()) {
        const std::string what = fmt::format("{} to {} in {}", code, write.what, compat);
        const Outcome run(
            SpecWith(fmt::format("rejectWrite: {{client: {}, verb: {}, resource: {}, code: {}}}",
                                 write.client, write.verb, write.resource, code)),
            compat);
        const client::ResponsePayload* answer = run.Answer(write, code);
        const bool told = !run.report.faults_missing.empty();
        EXPECT_EQ(Text(LiesIn(run.runner->events())), "") << what;
        EXPECT_EQ(run.report.end.violations.size(), 0u) << what;
        const std::string why = told ? run.report.faults_missing[0].why : "";
        if (!CanBeSaid(write, code, compat)) {
          EXPECT_TRUE(why.starts_with("no API server answers 409")) << what << ": " << why;
          continue;
        }
        EXPECT_EQ(why, "") << what;
        // The pod's creation and its eviction are both creates of pods by the user: the fault
        // strikes the first.
        const bool alone = std::string_view(write.subresource) != "eviction";
        EXPECT_EQ(answer != nullptr, alone) << what;
      }
    }
  }
}

// API-157
// API-158
TEST(ServerAnswers, OfAWriteThatMayBeDone) {
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    for (const Write& write : kWrites) {
      for (const int code : UnknownCodes()) {
        for (const bool applied : {false, true}) {
          const std::string what = fmt::format("{} to {} in {}, {}", code, write.what, compat,
                                               applied ? "done" : "not done");
          const Outcome run(
              SpecWith(fmt::format(
                  "timeoutWrite: {{client: {}, verb: {}, resource: {}, code: {}, applied: {}}}",
                  write.client, write.verb, write.resource, code, applied)),
              compat);
          EXPECT_EQ(Text(LiesIn(run.runner->events())), "") << what;
          EXPECT_EQ(run.report.end.violations.size(), 0u) << what;
          EXPECT_TRUE(run.report.faults_missing.empty()) << what;
          const client::ResponsePayload* answer = run.Answer(write, code);
          if (answer == nullptr) continue;
          int commits = 0;
          for (const sim::Event& e : run.runner->events())
            if (e.kind == sim::EventKind::kCommit &&
                e.payload.As<store::CommitPayload>().request == answer->id)
              ++commits;
          EXPECT_EQ(commits > 0, applied) << what;
        }
      }
    }
  }
}

// Whoever is in system:masters has all rights, and no limit holds for them.
TEST(ServerAnswers, AreNotGivenToMastersWhereAFilterExemptsThem) {
  scenario::Runner runner(FaultRun::Load("  cluster: {nodes: 1}\n"), scenario::RunnerOptions());
  runner.Run();
  scenario::World& world = runner.world();
  api::Request request;
  request.verb = api::Verb::kCreate;
  request.resource = world.kinds().ByName("pods");
  for (const auto& [user, exempt] : {std::pair("system:admin", true), {"kube-scheduler", false}}) {
    request.user = user;
    for (const int code : {403, 429})
      EXPECT_EQ(WhyNeverSaid(code, request, world) == "system:masters are never refused", exempt)
          << code << " to " << user;
    EXPECT_EQ(WhyNeverSaid(401, request, world), "");
  }
}

// Answers a third of all questions about these faults.
class Often : public sim::Strategy {
 public:
  explicit Often(std::uint64_t seed) : seed_(seed) {}
  std::string_view name() const override { return "often"; }
  std::uint32_t Answer(std::string_view site, std::uint64_t key, std::uint32_t n) override {
    static constexpr std::string_view kFaults[] = {"fault.rejectWrite", "fault.timeoutWrite",
                                                   "fault.expire", "fault.gap", "fault.storm"};
    const auto asked = [site](std::string_view fault) { return site.starts_with(fault); };
    if (n < 2 || std::none_of(std::begin(kFaults), std::end(kFaults), asked)) return 0;
    const std::uint64_t hash = sim::KeyOf(sim::KeyOf(site, key), seed_);
    return hash % 3 == 0 ? 1 + static_cast<std::uint32_t>(hash / 3 % (n - 1)) : 0;
  }

 private:
  std::uint64_t seed_;
};

TEST(DrawnAnswers, NeverLie) {
  std::map<int, int> codes;
  for (const char* compat : {"1.25", "1.30", "1.36"}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      scenario::Scenario s = FaultRun::Load(
          "  cluster: {nodes: 2}\n  steps:\n  - {at: 0s, create: {document: ReplicaSet/web}}\n"
          "  - {at: 20s, scale: {resource: replicasets/web, replicas: 4}}\n"
          "  - {at: 40s, delete: {resource: pods, selector: app=web}}\n"
          "  - {at: 90s, scale: {resource: replicasets/web, replicas: 1}}\n");
      s.compat = *api::ParseCompat(compat);
      scenario::RunnerOptions options;
      options.world.strategy = std::make_shared<Often>(seed);
      options.fuzz.emplace();
      options.fuzz->window = Minutes(3);
      scenario::Runner runner(s, std::move(options));
      const scenario::RunReport report = runner.Run();
      EXPECT_EQ(Text(LiesIn(runner.events())), "") << compat << ", seed " << seed;
      EXPECT_EQ(report.exit_code, 0) << compat << ", seed " << seed;
      for (const sim::Event& e : runner.events())
        if (e.kind == sim::EventKind::kResponse)
          ++codes[e.payload.As<client::ResponsePayload>().code];
    }
  }
  for (const int code : {0, 409, 429, 500, 504}) EXPECT_GT(codes[code], 20) << code;
}

// docs/faults.md has the same table.
TEST(ServerAnswers, AreInTheDocument) {
  const absl::StatusOr<std::string> text = os::ReadFile("docs/faults.md");
  ASSERT_TRUE(text.ok());
  for (const ServerAnswer& a : ServerAnswers()) {
    const std::string row = fmt::format(
        "| {}{}{} | {} | {} | {} | {} |\n", a.code, a.reason.empty() ? "" : " ", a.reason, a.writes,
        a.when, a.effect == AnswerEffect::kNone ? "no" : "done or not", a.source);
    EXPECT_NE(text->find(row), std::string::npos) << row;
  }
}

}  // namespace
}  // namespace ksim::fault
