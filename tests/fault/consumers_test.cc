// Each of these faults shows a wrong consumer, and its right twin stands it. The consumers are
// small programs, and samples of docs/wrong-controllers.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "ksim/apiserver/webhooks.h"
#include "ksim/client/client.h"
#include "ksim/controllers/controller.h"
#include "ksim/registry.h"
#include "ksim/scenario/runner.h"
#include "ksim/trace/render.h"
#include "ksim/value/json.h"
#include "tests/scenario/from_text.h"

namespace ksim::fault {
namespace {

using client::ListResult;
using controllers::ControllerContext;
using value::Value;

constexpr api::Compat kAll[] = {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36};

// A program without a builder: a client and coroutines.
class Consumer : public controllers::Controller {
 public:
  Consumer(ControllerContext context, bool right)
      : right_(right),
        context_(std::move(context)),
        maps_(context_.Resource("", "configmaps")),
        pods_(context_.Resource("", "pods")),
        client_(context_.connection, context_.actor(), context_.client_options()) {}

 protected:
  const bool right_;
  ControllerContext context_;
  const api::ResourceInfo *const maps_, *const pods_;
  client::Client client_;
};

// Writes `seen` into every ConfigMap that it hears of. After an ERROR the wrong one stops: it takes
// that for the end of all, as code does that handles ADDED, MODIFIED and DELETED and returns
// otherwise. The right one lists and watches anew.
class Follower : public Consumer {
 public:
  using Consumer::Consumer;
  void Start() override { context_.process.Spawn(Follow(), context_.name); }

 private:
  sim::Task<void> Follow() {
    bool goes_on = true;
    while (goes_on) {
      api::ListOptions options;
      const api::Result<ListResult> list = co_await client_.List(maps_, "default", options);
      if (list.ok()) {
        for (const api::Object& map : list->items) co_await Mark(map);
        goes_on = co_await FollowFrom(list->resource_version);
      }
      co_await context_.env().sim.Sleep(Seconds(1), sim::TimerKind::kPeriodic, "list again");
    }
  }

  // False: it has stopped.
  sim::Task<bool> FollowFrom(std::int64_t version) {
    api::ListOptions options;
    options.resource_version = std::to_string(version);
    auto opened = co_await client_.Watch(maps_, "default", options);
    if (!opened.ok()) co_return true;
    const std::unique_ptr<client::WatchStream> stream = std::move(*opened);
    for (;;) {
      const std::optional<api::WatchEvent> event = co_await stream->Next();
      if (!event) co_return true;
      if (event->type == api::WatchEventType::kError) co_return right_;
      co_await Mark(event->object);
    }
  }

  sim::Task<void> Mark(api::Object map) {
    if (map.tree().Get("data").Has("seen")) co_return;
    const Value seen = value::Obj({{"data", value::Obj({{"seen", Value::Of("yes")}})}});
    const std::string ns(map.ns()), name(map.name());
    (void)co_await client_.Patch(maps_, ns, name, seen,
                                 client::PatchOptions(api::PatchType::kMerge));
  }
};

// Counts the ConfigMaps of a label, page by page and slowly, once there is one to write that into.
// The wrong one takes the pages that it has got for all, when a later one fails.
class Counter : public Consumer {
 public:
  using Consumer::Consumer;
  void Start() override { context_.process.Spawn(Count(), context_.name); }

 private:
  sim::Task<void> Count() {
    bool asked = false;
    while (!asked) {
      co_await context_.env().sim.Sleep(Seconds(1), sim::TimerKind::kPeriodic, "is it asked for");
      const client::Client::ObjectResult count = co_await client_.Get(maps_, "default", "count");
      asked = count.ok();
    }
    co_await context_.env().sim.Sleep(Seconds(10), sim::TimerKind::kWork, "count");
    for (;;) {
      const std::int64_t n = co_await Pages();
      if (n >= 0) {
        const Value count =
            value::Obj({{"data", value::Obj({{"n", Value::Of(std::to_string(n))}})}});
        (void)co_await client_.Patch(maps_, "default", "count", count,
                                     client::PatchOptions(api::PatchType::kMerge));
        co_return;
      }
      co_await context_.env().sim.Sleep(Seconds(1), sim::TimerKind::kWork, "count again");
    }
  }

  // -1: it is to begin anew.
  sim::Task<std::int64_t> Pages() {
    api::ListOptions options;
    options.label_selector = "counted=yes";
    options.limit = 2;
    std::int64_t n = 0;
    for (;;) {
      const api::Result<ListResult> page = co_await client_.List(maps_, "default", options);
      if (!page.ok()) co_return right_ || n == 0 ? -1 : n;
      n += static_cast<std::int64_t>(page->items.size());
      if (page->continue_token.empty()) co_return n;
      options.continue_token = page->continue_token;
      co_await context_.env().sim.Sleep(Seconds(3), sim::TimerKind::kWork, "next page");
    }
  }
};

// Deletes pods that are labelled for it, as its handler hears of the label. The wrong one deletes
// by name: a pod that was made anew under that name meanwhile too. The right one says which it
// means.
class Sweeper : public Consumer {
 public:
  using Consumer::Consumer;
  void Start() override {
    handler_.update = [this](const api::Object&, const api::Object& pod) {
      if (pod.Label("sweep") == "yes") context_.process.Spawn(Sweep(pod), context_.name);
    };
    context_.informers.For(pods_).AddHandler(context_.actor(), &handler_);
  }

 private:
  sim::Task<void> Sweep(api::Object pod) {
    api::DeleteOptions options;
    if (right_) options.uid = SharedText(pod.uid());
    const std::string ns(pod.ns()), name(pod.name());
    (void)co_await client_.Delete(pods_, ns, name, options);
  }

  client::HandlerFuncs handler_;
};

// Serves a webhook that allows everything.
class AllowsAll final : public apiserver::WebhookServer, public apiserver::WebhookDirectory {
 public:
  WebhookServer* Find(const apiserver::WebhookTarget&, std::uint64_t) override { return this; }
  const std::string& name() const override { return name_; }
  bool accepting() const override { return true; }
  void Accept(apiserver::WebhookRequest request, Reply reply) override {
    const Value review = *value::ParseJson(request.body);
    reply(apiserver::WebhookAnswer(
        fmt::format(R"({{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
                    R"("response":{{"uid":"{}","allowed":true}}}})",
                    review.Get("request").Get("uid").AsString())));
  }

 private:
  std::string name_ = "policy";
};

std::shared_ptr<const Registry> Programs() {
  const auto make = []<class T>(bool right) {
    return [right](ControllerContext context) -> std::unique_ptr<controllers::Controller> {
      return std::make_unique<T>(std::move(context), right);
    };
  };
  auto registry = std::make_shared<Registry>("consumers");
  for (const bool right : {false, true}) {
    const std::string twin = right ? "right-" : "wrong-";
    registry->AddController(twin + "follower", make.operator()<Follower>(right));
    registry->AddController(twin + "counter", make.operator()<Counter>(right));
    registry->AddController(twin + "sweeper", make.operator()<Sweeper>(right));
  }
  return registry;
}

struct ConsumerRow {
  const char* name;
  std::string spec;  // TWIN is "wrong" or "right"
};

void PrintTo(const ConsumerRow& row, std::ostream* out) { *out << row.name; }

// The violations of a run with the wrong or the right consumer, and faults that did not come.
std::string WhatIsWrong(const ConsumerRow& row, const std::string& twin, api::Compat compat) {
  std::string text = "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: test}\nspec:\n" +
                     fmt::format("  compat: \"{}\"\n", api::ToString(compat)) + row.spec;
  for (std::size_t at = text.find("TWIN"); at != text.npos; at = text.find("TWIN"))
    text.replace(at, 4, twin);
  scenario::LoadOptions load;
  load.read = [&text](const std::string&) -> absl::StatusOr<std::string> { return text; };
  load.program = Programs();
  const scenario::Scenario scenario = scenario::Only(scenario::Load({"test.yaml"}, load));
  AllowsAll webhooks;
  scenario::RunnerOptions options;
  options.world.webhooks = &webhooks;
  scenario::Runner runner(scenario, std::move(options));
  const scenario::RunReport report = runner.Run();
  for (const scenario::FaultNote& note : report.faults_missing)
    ADD_FAILURE() << note.fault << ": " << note.why;
  for (const scenario::StepFailure& failure : report.failures) ADD_FAILURE() << failure.error;
  std::string wrong;
  for (const sim::Event& e : runner.events()) {
    if (e.kind != sim::EventKind::kViolation) continue;
    const trace::Record violation = trace::Render(e, trace::RenderOptions());
    wrong += fmt::format("{}: {}\n", violation.Text("oracle"), violation.Text("message"));
  }
  return wrong;
}

class EachConsumer : public ::testing::TestWithParam<ConsumerRow> {};

TEST_P(EachConsumer, TheWrongOneIsSeenAndTheRightOneStandsIt) {
  for (const api::Compat compat : kAll) {
    EXPECT_NE(WhatIsWrong(GetParam(), "wrong", compat), "") << api::ToString(compat);
    EXPECT_EQ(WhatIsWrong(GetParam(), "right", compat), "") << api::ToString(compat);
  }
}

std::string Map(const std::string& at, const std::string& name, const std::string& labels = "") {
  return fmt::format(
      "  - {{at: {}, create: {{object: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}, "
      "labels: {{{}}}}}}}}}}}\n",
      at, name, labels);
}

std::string Pod(const std::string& at) {
  return fmt::format(
      "  - {{at: {}, create: {{object: {{apiVersion: v1, kind: Pod, metadata: {{name: a}}, spec: "
      "{{containers: [{{name: c, image: i}}]}}}}}}}}\n",
      at);
}

const char kSettings[] = R"(---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: default}
data: {color: red}
---
apiVersion: v1
kind: Pod
metadata: {name: go, namespace: default}
spec: {containers: [{name: c, image: nginx}]}
)";

const char kWeb[] = R"(---
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, namespace: default}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: nginx}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: policy}
webhooks:
- name: pods.example.com
  sideEffects: None
  admissionReviewVersions: [v1]
  timeoutSeconds: 3
  clientConfig: {url: "https://policy.example.com/"}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
)";

const std::vector<ConsumerRow>& Rows() {
  static const std::vector<ConsumerRow> rows{
      // wrong-retry sends what it had with the newest number, and undoes what the rival wrote.
      {"Rival",
       "  cluster: {nodes: 1, controllers: [replicaset], processes: {sample: [TWIN-retry]}}\n"
       "  steps:\n"
       "  - {at: 0s, create: {document: ConfigMap/settings}}\n"
       "  - {at: 12s, create: {document: Pod/go}}\n"
       "  faults:\n"
       "  - {at: 10s, rival: {client: sample, resource: configmaps, times: 1}}\n"
       "  expect:\n"
       "  - eventually: {resource: configmaps/settings, where: data.stamp == \"done\" && "
       "metadata.annotations.ksim\\.dev/another-writer exists}\n" +
           std::string(kSettings)},
      {"WatchError",
       "  cluster: {nodes: 1, controllers: [TWIN-follower]}\n  steps:\n" + Map("5s", "a") +
           Map("15s", "b") +
           "  faults:\n"
           "  - {at: 10s, watchError: {client: TWIN-follower, resource: configmaps, reason: "
           "TooManyRequests}}\n"
           "  expect:\n"
           "  - eventually: {resource: configmaps/b, where: data.seen == \"yes\"}\n"},
      {"ErrorOfTheSecondPage",
       "  cluster: {nodes: 1, controllers: [TWIN-counter]}\n  steps:\n" +
           Map("0s", "a", "counted: \"yes\"") + Map("1s", "b", "counted: \"yes\"") +
           Map("2s", "c", "counted: \"yes\"") + Map("3s", "count") + Map("15s", "other") +
           "  faults:\n"
           "  - {at: 10s, rejectRead: {client: TWIN-counter, verb: list, resource: configmaps, "
           "page: 2, code: 410}}\n"
           "  expect:\n"
           "  - eventually: {resource: configmaps/count, where: data.n == \"3\"}\n"},
      {"SlowHandler", "  cluster: {nodes: 1, controllers: [TWIN-sweeper]}\n  steps:\n" + Pod("0s") +
                          "  - {at: 5s, label: {resource: pods/a, set: {sweep: \"yes\"}}}\n"
                          "  - {at: 6s, delete: {resource: pods/a, gracePeriodSeconds: 0}}\n" +
                          Pod("12s") +
                          "  faults:\n"
                          "  - {at: 4s, slowHandler: {actor: TWIN-sweeper/TWIN-sweeper, resource: "
                          "pods, takes: 10s, "
                          "for: 20s}}\n"
                          "  expect:\n"
                          "  - finally: {resource: pods/a, count: 1}\n"},
      {"SlowWebhook",
       "  cluster: {nodes: 2, controllers: [], processes: {sample: [TWIN-expectations]}}\n"
       "  steps:\n"
       "  - {at: 0s, create: {document: ValidatingWebhookConfiguration/policy}}\n"
       "  - {at: 5s, create: {document: ReplicaSet/web}}\n"
       "  faults:\n"
       "  - {at: 4s, slowWebhook: {webhook: pods.example.com, by: 4s, for: 6s}}\n" +
           std::string(kWeb)},
  };
  return rows;
}

INSTANTIATE_TEST_SUITE_P(All, EachConsumer, ::testing::ValuesIn(Rows()),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace ksim::fault
