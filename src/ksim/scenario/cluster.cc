// ksim::Cluster of include/ksim/cluster.h: a cluster for programs that embed ksim.
#include "ksim/cluster.h"

#include <fmt/format.h>

#include <optional>

#include "ksim/base/check.h"
#include "ksim/base/version.h"
#include "ksim/scenario/dry_run.h"
#include "ksim/scenario/kubectl_options.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/runner.h"
#include "ksim/scenario/world.h"
#include "ksim/trace/render.h"
#include "ksim/trace/state.h"
#include "ksim/value/yaml.h"

namespace ksim {

using scenario::Scenario;
using scenario::Step;
using scenario::StepKind;

struct Cluster::Impl {
  explicit Impl(ClusterOptions given) {
    options.strategy = std::move(given.strategy);
    judged = given.scenario.has_value();
    if (judged)
      scenario = *std::move(given.scenario);
    else
      TakeFields(std::move(given));
  }
  void TakeFields(ClusterOptions given) {
    scenario.name = std::move(given.name);
    scenario.seed = given.seed;
    scenario.compat = given.compat;
    scenario.quiet_for = given.quiet_for;
    scenario.cluster = std::move(given.spec);
  }
  ~Impl() {
    if (world) world->sim().Shutdown();
  }

  // Makes the cluster, once. Custom kinds of manifests given so far are known to it.
  scenario::World& Start() {
    if (world) return *world;
    if (judged) return StartRunner();
    Scenario known = scenario;
    known.steps = queue;
    own_world = std::make_unique<scenario::World>(known, options);
    world = own_world.get();
    recorder = std::make_unique<trace::Recorder>(world->sim().bus());
    world->Start();
    return *world;
  }

  // The same for a whole scenario: its steps, faults, expectations and oracles are the runner's.
  scenario::World& StartRunner() {
    scenario::RunnerOptions runner_options;
    runner_options.world = options;
    runner = std::make_unique<scenario::Runner>(scenario, std::move(runner_options));
    world = &runner->world();
    for (const Step& step : queue)
      for (const scenario::Manifest& m : step.objects)
        scenario::LearnKind(world->kinds(), m.ApiVersion(), m.Kind());
    runner->Begin();
    scenario.steps.clear();  // what the user does beside them follows
    return *world;
  }

  std::vector<trace::Record> Records() const {
    if (recorder) return recorder->Records(trace::RenderOptions());
    return runner->MakeTrace(trace::RenderOptions()).events;
  }
  absl::Status Enqueue(StepKind kind, std::string_view manifests);
  static sim::Task<void> Work(Impl* self, std::size_t first);
  ClusterResult RunUntil(Duration limit, bool exactly);
  bool IsQuietWithin(const sim::Simulation::Limits& limits);

  Scenario scenario;  // with every step that has begun
  scenario::WorldOptions options;
  std::vector<Step> queue;
  std::vector<std::string> errors;
  bool judged = false;  // there is a whole scenario
  std::unique_ptr<scenario::World> own_world;
  std::unique_ptr<scenario::Runner> runner;  // null: nothing is judged
  scenario::World* world = nullptr;          // of one of them, once it is started
  std::optional<scenario::RunReport> report;
  std::unique_ptr<trace::Recorder> recorder;
};

absl::Status Cluster::Impl::Enqueue(StepKind kind, std::string_view manifests) {
  auto file = std::make_shared<value::YamlFile>(value::ParseYaml(manifests, "manifest"));
  api::Kinds own;
  for (const api::ResourceInfo& info : options.kinds) own.Add(info);
  scenario::LearnOwnKinds(own, scenario.cluster.program.get());
  api::Kinds& kinds = world ? world->kinds() : own;
  std::vector<Diagnostic> errors_found, warnings;
  Step step;
  step.kind = kind;
  step.objects = scenario::ReadManifestFile(kinds, file, &errors_found, &warnings);
  if (errors_found.empty()) {
    Scenario one;
    one.compat = scenario.compat;
    one.steps.push_back(step);
    errors_found = scenario::DryRun(one);
  }
  if (!errors_found.empty()) return absl::InvalidArgumentError(Render(errors_found, false));
  queue.push_back(std::move(step));
  return absl::OkStatus();
}

// The user's actions, one after the other.
sim::Task<void> Cluster::Impl::Work(Impl* self, std::size_t first) {
  for (std::size_t i = first; i < self->scenario.steps.size(); ++i) {
    Step& step = self->scenario.steps[i];
    step.at = self->world->sim().now() - VirtualTime();
    kubectl::EarlierTries none;
    const kubectl::VerbOptions options = scenario::KubectlOptionsOf(step);
    const kubectl::CommandOutput outcome = co_await self->world->kubectl().Run(options, none);
    if (!outcome.ok()) self->errors.push_back(outcome.error);
  }
  self->world->sim().ReleaseWork();
}

// Faults that only the heal ends are healed when nothing else is left to do.
bool Cluster::Impl::IsQuietWithin(const sim::Simulation::Limits& limits) {
  for (;;) {
    const auto stop = world->RunUntilQuiet(scenario.quiet_for, limits);
    if (stop != sim::Simulation::Stop::kQuiescent) return false;
    if (runner == nullptr || runner->injector().in_force() == 0) return true;
    runner->Heal();
  }
}

ClusterResult Cluster::Impl::RunUntil(Duration limit, bool exactly) {
  sim::Simulation& sim = Start().sim();
  if (runner == nullptr && sim.now() == VirtualTime()) {
    sim::Simulation::Limits boot;
    boot.time = VirtualTime() + Seconds(60);
    sim.RunUntilQuiet(Milliseconds(100), boot);
  }
  const std::size_t first = scenario.steps.size();
  for (Step& step : queue) scenario.steps.push_back(std::move(step));
  queue.clear();
  errors.clear();
  // Released by Work: the run is not quiet while the user is at work.
  sim.HoldWork();
  world->user().Spawn(Work(this, first));
  ClusterResult result;
  if (exactly) {
    sim.RunUntil(sim.now() + limit);
    result.quiet = sim.pending_work() == 0;
  } else {
    sim::Simulation::Limits limits;
    limits.time = sim.now() + limit;
    limits.instant = static_cast<std::uint64_t>(scenario.limit.instant);
    result.quiet = IsQuietWithin(limits);
  }
  result.errors = errors;
  if (!result.quiet) result.busy = sim.DescribePendingWork(10);
  return result;
}

ClusterVerdict Cluster::Judge() {
  KSIM_CHECK(impl_->judged) << "Judge of a cluster without a scenario";
  impl_->Start();
  if (!impl_->report) {
    const bool quiet = impl_->world->sim().pending_work() == 0;
    impl_->report = impl_->runner->End(quiet ? sim::Simulation::Stop::kQuiescent
                                             : sim::Simulation::Stop::kTimeReached);
  }
  ClusterVerdict verdict;
  for (const trace::Violation& v : impl_->report->end.violations)
    verdict.violations.push_back(fmt::format("{}: {}", v.oracle, v.message));
  for (const scenario::StepFailure& f : impl_->report->failures)
    verdict.failed_steps.push_back(fmt::format("step {}: {}", f.number, f.error));
  for (const scenario::FaultNote& f : impl_->report->faults_missing)
    verdict.faults_missing.push_back(fmt::format("fault {} ({}): {}", f.number, f.fault, f.why));
  return verdict;
}

Cluster::Cluster(ClusterOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Cluster::~Cluster() = default;

void Cluster::AddKind(api::ResourceInfo kind) {
  KSIM_CHECK(impl_->world == nullptr) << "AddKind after the first Run";
  impl_->options.kinds.push_back(std::move(kind));
}

void Cluster::AddController(std::string name, controllers::ControllerFactory factory) {
  KSIM_CHECK(impl_->world == nullptr) << "AddController after the first Run";
  scenario::PluggedController controller;
  controller.name = std::move(name);
  controller.factory = std::move(factory);
  impl_->options.controllers.push_back(std::move(controller));
}

void Cluster::SetWebhooks(apiserver::WebhookDirectory& webhooks) {
  KSIM_CHECK(impl_->world == nullptr) << "SetWebhooks after the first Run";
  impl_->options.webhooks = &webhooks;
}

absl::Status Cluster::Create(std::string_view manifests) {
  return impl_->Enqueue(StepKind::kCreate, manifests);
}

absl::Status Cluster::Apply(std::string_view manifests) {
  return impl_->Enqueue(StepKind::kApply, manifests);
}

void Cluster::Scale(std::string_view resource, std::string_view name, std::int64_t replicas,
                    std::string_view ns) {
  Step step;
  step.kind = StepKind::kScale;
  step.resource = std::string(resource);
  step.name = std::string(name);
  step.ns = std::string(ns);
  step.replicas = replicas;
  impl_->queue.push_back(std::move(step));
}

void Cluster::Delete(std::string_view resource, std::string_view name, std::string_view ns) {
  Step step;
  step.kind = StepKind::kDelete;
  step.resource = std::string(resource);
  step.name = std::string(name);
  step.ns = std::string(ns);
  impl_->queue.push_back(std::move(step));
}

ClusterResult Cluster::Run(Duration limit) { return impl_->RunUntil(limit, false); }
ClusterResult Cluster::RunFor(Duration duration) { return impl_->RunUntil(duration, true); }

std::vector<api::Object> Cluster::List(std::string_view resource, std::string_view ns) const {
  scenario::World& world = impl_->Start();
  const api::ResourceInfo* info = world.kinds().ByName(resource);
  if (info == nullptr) return {};
  std::vector<api::Object> out;
  for (api::Object& o : world.Objects(*info))
    if (ns.empty() || o.ns() == ns) out.push_back(std::move(o));
  return out;
}

api::Object Cluster::Get(std::string_view resource, std::string_view ns,
                         std::string_view name) const {
  for (api::Object& o : List(resource, ns))
    if (o.name() == name) return o;
  return api::Object();
}

VirtualTime Cluster::now() const { return impl_->Start().sim().now(); }

std::string Cluster::digest() const { return impl_->Start().digest(); }

sim::Simulation& Cluster::simulation() { return impl_->Start().sim(); }
api::Kinds& Cluster::kinds() { return impl_->Start().kinds(); }

trace::Trace Cluster::MakeTrace() const {
  scenario::World& world = impl_->Start();
  trace::Trace trace;
  if (impl_->report) {
    trace = impl_->runner->MakeTrace(trace::RenderOptions());
    trace.header.mode = trace::kModeProgram;
    return trace;
  }
  trace.header.ksim_version = std::string(Version());
  trace.header.compat = std::string(api::ToString(impl_->scenario.compat));
  trace.header.seed = trace.header.strategy_seed = impl_->scenario.seed;
  trace.header.mode = trace::kModeProgram;
  trace.header.scenario = scenario::ToTree(impl_->scenario);
  for (const scenario::PluggedController& own : impl_->options.controllers)
    trace.header.own_controllers.push_back(own.name);
  trace.events = impl_->Records();
  trace::End end;
  end.events = world.sim().bus().last_seq();
  end.time = world.sim().now().ns();
  end.digest = digest();
  end.state = trace::OutcomeDigest(world.Objects());
  end.result = "ok";
  end.decisions = world.sim().decisions().decisions();
  trace.end = std::move(end);
  return trace;
}

absl::Status Cluster::WriteTrace(const std::string& path) const {
  return trace::WriteTrace(MakeTrace(), path);
}

}  // namespace ksim
