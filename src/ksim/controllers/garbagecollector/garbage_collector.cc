#include "ksim/controllers/garbagecollector/garbage_collector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "ksim/client/rest/link.h"
#include "ksim/controllers/common/finalizers.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/sim/probe.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr Duration kNoResync = Seconds(-1);  // ResourceResyncTime 0
constexpr Duration kInitialSyncTimeout = Seconds(30);

// Deleting an object takes two requests, so that the metadata client may send twice as many
// (startGarbageCollectorController).
client::ClientOptions MetadataClient(const ControllerContext& context) {
  client::ClientOptions options = ManagerClient(context, "generic-garbage-collector");
  options.qps *= 2;
  return options;
}

bool IsByUid(const ControllerContext& context) {
  return context.env().variants.gc_absent_owners == api::Variants::AbsentOwners::kUid;
}

// The object that an Event is about.
api::Object ObjectFor(const ObjectIdentity& identity) {
  value::ObjectBuilder metadata;
  metadata.Add("name", Value::Of(identity.name));
  metadata.AddIf(identity.namespaced(), "namespace", Value::Of(identity.ns));
  metadata.Add("uid", Value::Of(identity.uid));
  return api::Object::FromTree(value::Obj({{"apiVersion", Value::Of(identity.api_version)},
                                           {"kind", Value::Of(identity.kind)},
                                           {"metadata", metadata.Build()}}));
}

}  // namespace

struct GarbageCollector::Monitor {
  Monitor(client::SharedInformer& i, const api::ResourceInfo& resource, GraphBuilder& builder)
      : informer(i) {
    handlers.add = [this, &resource, &builder](const api::Object& object, bool is_listed_first) {
      builder.Put(resource, api::Object(), object);
      if (!is_listed_first && changed) changed();
    };
    handlers.update = [this, &resource, &builder](const api::Object& before,
                                                  const api::Object& after) {
      builder.Put(resource, before, after);
      if (changed) changed();
    };
    handlers.del = [&resource, &builder](const client::Deleted& deleted) {
      builder.Delete(resource, deleted.object);
    };
  }
  client::SharedInformer& informer;
  client::HandlerFuncs handlers;
  std::function<void()> changed;  // called after an addition or update; null: nobody wants to know
};

GarbageCollector::GarbageCollector(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      client_(context_.connection, context_.actor(), MetadataClient(context_)),
      recorder_(context_.connection, context_.actor(), "garbage-collector-controller", "",
                client::EventRecorder::Api::kCore,
                ManagerClient(context_, "generic-garbage-collector")),
      builder_(*this, IsByUid(context_)),
      kinds_(context_),
      requests_(context_, client_, kinds_,
                [this](const api::ResourceInfo* resource) { return CacheOf(resource); }),
      owners_(requests_, kinds_, builder_.absent_owners()),
      to_delete_(context_, "", [this](NodePtr node) { return DeleteWorker(std::move(node)); }),
      to_orphan_(context_, "orphans of ",
                 [this](NodePtr node) { return OrphanWorker(std::move(node)); }),
      changed_(context_.env().sim) {}

GarbageCollector::~GarbageCollector() = default;

void GarbageCollector::Start() {
  first_objects_ = context_.env().kinds.OnFirstObject([this] { Wake(&has_new_objects_); });
  start_cause_ = context_.env().sim.context().cause;
  context_.process.Spawn(Run(), context_.name);
}

void GarbageCollector::Wake(bool* reason) {
  *reason = true;
  changed_.Notify();
}

void GarbageCollector::TellOfInvalidNamespace(const Node& dependent, const Owner& owner) {
  const ObjectIdentity& item = dependent.identity;
  recorder_.Event(ObjectFor(item), "Warning", "OwnerRefInvalidNamespace",
                  fmt::format("ownerRef {} does not exist in namespace \"{}\"",
                              owner.In(item.ns).ToString(), item.ns));
}

// --- monitors ------------------------------------------------------------------------------------

bool GarbageCollector::AskDiscovery() {
  std::vector<const api::ResourceInfo*> found = kinds_.Deletable();
  if (found == discovered_) return false;
  discovered_ = std::move(found);
  kinds_.Reset();
  return true;
}

void GarbageCollector::AddMonitors() {
  has_new_objects_ = false;
  bool added = false;
  for (const api::ResourceInfo* const resource : discovered_) {
    if (monitor_of_.contains(resource)) continue;
    if (!context_.env().kinds.HasHadObjects(*resource)) continue;
    added = true;
    auto monitor = std::make_unique<Monitor>(context_.informers.For(resource), *resource, builder_);
    if (&monitor->informer == &kinds_.definitions())
      monitor->changed = [this] { Wake(&definitions_changed_); };
    monitor->informer.AddHandler(context_.actor(), &monitor->handlers, kNoResync);
    monitor_of_.emplace(resource, monitor.get());
    monitors_.push_back(std::move(monitor));
  }
  if (!added) return;
  sim::Context& context = context_.env().sim.context();
  context.cause = start_cause_;
  context.background = false;
  context_.informers.Start();
}

bool GarbageCollector::MonitorsHaveSynced() const {
  for (const std::unique_ptr<Monitor>& monitor : monitors_)
    if (!monitor->informer.HasSynced()) return false;
  return true;
}

// Upstream runs this as two goroutines, Run and Sync.
sim::Task<void> GarbageCollector::Run() {
  sim::Simulation& sim = context_.env().sim;
  client::CacheWaits& waits = context_.connection.link()->cache_waits();
  waits.Begin(context_.name);
  AskDiscovery();
  AddMonitors();
  // Discovery would tell of the definitions that are there already.
  while (!kinds_.definitions().HasSynced())
    co_await sim.Sleep(client::kSyncedPollPeriod, sim::TimerKind::kWork, "wait for cache sync");
  AskDiscovery();
  AddMonitors();
  definitions_changed_ = false;
  co_await WaitForMonitors();
  waits.End(context_.name);
  to_delete_.Start(kGarbageCollectorWorkers);
  to_orphan_.Start(kGarbageCollectorWorkers);
  context_.process.Spawn(WatchNewKinds(), context_.name);
  for (;;) {
    while (!definitions_changed_) co_await changed_.Wait();
    co_await sim.Sleep(kinds_.UntilNext(), sim::TimerKind::kWork, "discovery");
    definitions_changed_ = false;
    co_await ResyncMonitors();
  }
}

sim::Task<void> GarbageCollector::WatchNewKinds() {
  for (;;) {
    if (has_new_objects_) AddMonitors();
    co_await changed_.Wait();
  }
}

sim::Task<void> GarbageCollector::ResyncMonitors() {
  if (!AskDiscovery()) co_return;
  AddMonitors();
  if (!profile_.gc_pauses_for_new_kinds) co_return;
  KSIM_PROBE("gc/paused");
  co_await to_delete_.Pause();
  co_await to_orphan_.Pause();
  co_await WaitForMonitors();
  to_delete_.Resume();
  to_orphan_.Resume();
}

// From 1.36 on for 30 s at most: a cache that cannot be filled does not stop the others.
sim::Task<void> GarbageCollector::WaitForMonitors() {
  sim::Simulation& sim = context_.env().sim;
  const VirtualTime begun = sim.SteadyNow();
  while (!MonitorsHaveSynced()) {
    const bool waits =
        profile_.gc_pauses_for_new_kinds || sim.SteadyNow() - begun < kInitialSyncTimeout;
    if (!waits) co_return;
    co_await sim.Sleep(client::kSyncedPollPeriod, sim::TimerKind::kWork, "wait for cache sync");
  }
}

const client::Lister* GarbageCollector::CacheOf(const api::ResourceInfo* resource) const {
  const auto monitor = monitor_of_.find(resource);
  return monitor == monitor_of_.end() ? nullptr : &monitor->second->informer.lister();
}

// --- attemptToDelete -----------------------------------------------------------------------------

sim::Task<client::ReconcileResult> GarbageCollector::DeleteWorker(NodePtr node) {
  if (!node->IsObserved()) {
    // A virtual node may have left the graph since, or have become a real one.
    const NodePtr current = builder_.graph().Find(node->identity.uid);
    if (current == nullptr || current->IsObserved()) co_return client::ReconcileResult::Done();
  }
  const Outcome outcome = co_await AttemptToDeleteItem(node);
  switch (outcome.kind) {
    case Outcome::Kind::kNotThere:
      builder_.DeleteVirtually(node->identity);
      co_return client::ReconcileResult::Done();
    case Outcome::Kind::kOwnerOfWrongScope:
      co_return client::ReconcileResult::Done();
    case Outcome::Kind::kFailed:
      co_return client::ReconcileResult::Error(outcome.message);
    case Outcome::Kind::kDone:
      break;
  }
  // Nobody else would look again at a node whose object came and went unseen (kubernetes#56121).
  if (!node->IsObserved()) co_return client::ReconcileResult::Requeue();
  co_return client::ReconcileResult::Done();
}

sim::Task<Outcome> GarbageCollector::AttemptToDeleteItem(NodePtr node) {
  // An object that is being deleted goes by itself; then its dependents are looked at.
  if (node->being_deleted && !node->deleting_dependents) co_return Outcome();
  const ObjectRequests::Answer answer = co_await requests_.Get(node->identity);
  if (!answer.outcome.ok()) co_return answer.outcome;
  if (answer.object.uid() != node->identity.uid) co_return Outcome(Outcome::Kind::kNotThere);
  if (node->deleting_dependents) co_return co_await ProcessDeletingDependents(node);
  co_return co_await CollectItem(node, answer.object);
}

sim::Task<Outcome> GarbageCollector::CollectItem(NodePtr node, api::Object latest) {
  Owners owners = OwnersOf(latest);
  if (owners.empty()) co_return Outcome();
  ClassifiedOwners classified = co_await owners_.Classify(node, std::move(owners));
  if (!classified.outcome.ok()) co_return classified.outcome;
  if (!classified.solid.empty()) {
    // An owner is there that wants it. References to owners that wait would keep those for ever.
    std::vector<std::string> dropped = std::move(classified.absent);
    dropped.insert(dropped.end(), classified.waiting.begin(), classified.waiting.end());
    if (dropped.empty()) co_return Outcome();
    const client::Client::ObjectResult patched =
        co_await requests_.DropOwners(node, std::move(dropped));
    co_return Outcome::Of(patched);
  }
  if (!classified.waiting.empty() && !node->dependents.empty())
    co_return co_await DeleteInForeground(node, latest);
  // Nobody wants it. The policy of a deletion that is under way stays.
  const char* policy = "Background";
  if (HasFinalizer(latest, kOrphanFinalizer))
    policy = "Orphan";
  else if (HasFinalizer(latest, kForegroundFinalizer))
    policy = "Foreground";
  co_return co_await requests_.Delete(node->identity, latest, policy);
}

// An owner waits for this object, which has dependents itself. Where one of those waits too, they
// may wait for each other in a ring, which references that no longer block break.
sim::Task<Outcome> GarbageCollector::DeleteInForeground(NodePtr node, api::Object latest) {
  const bool ring =
      std::any_of(node->dependents.begin(), node->dependents.end(),
                  [](const auto& dependent) { return dependent.second->deleting_dependents; });
  if (ring) {
    KSIM_PROBE("gc/ring");
    const client::Client::ObjectResult patched = co_await requests_.UnblockOwners(node);
    if (!patched.ok()) co_return Outcome::Of(patched);
  }
  co_return co_await requests_.Delete(node->identity, latest, "Foreground");
}

sim::Task<Outcome> GarbageCollector::ProcessDeletingDependents(NodePtr node) {
  const std::vector<NodePtr> blocking = node->BlockingDependents();
  if (blocking.empty()) {
    co_return co_await requests_.RemoveFinalizer(node->identity, std::string(kForegroundFinalizer));
  }
  for (const NodePtr& dependent : blocking)
    if (!dependent->deleting_dependents) to_delete_.Add(dependent);
  co_return Outcome();
}

// --- attemptToOrphan -----------------------------------------------------------------------------

sim::Task<client::ReconcileResult> GarbageCollector::OrphanWorker(NodePtr node) {
  Outcome outcome = co_await OrphanDependents(node);
  if (outcome.ok()) {
    outcome = co_await requests_.RemoveFinalizer(node->identity, std::string(kOrphanFinalizer));
    if (!outcome.ok()) {
      outcome.message = fmt::format("removeOrphanFinalizer for {} failed with {}",
                                    node->identity.ToString(), outcome.message);
    }
  }
  if (!outcome.ok()) co_return client::ReconcileResult::Error(outcome.message);
  co_return client::ReconcileResult::Done();
}

// The patches report here to the worker that waits for them.
struct GarbageCollector::Batch {
  explicit Batch(sim::Simulation& sim) : finished(sim) {}
  std::size_t running = 0;
  std::vector<std::string> errors;
  sim::Signal finished;
};

sim::Task<Outcome> GarbageCollector::OrphanDependents(NodePtr node) {
  Batch batch(context_.env().sim);
  const Node::Dependents dependents = node->dependents;
  batch.running = dependents.size();
  for (const auto& [number, dependent] : dependents)
    context_.process.Spawn(OrphanOne(&batch, dependent, node->identity.uid), context_.name);
  while (batch.running > 0) co_await batch.finished.Wait();
  if (batch.errors.empty()) co_return Outcome();
  co_return Outcome::Failed(
      fmt::format("orphanDependents for {0} failed with failed to orphan dependents of owner {0}, "
                  "got errors: {1}",
                  node->identity.ToString(), fmt::join(batch.errors, ", ")));
}

// A reference that is gone already is no error, and neither is a dependent that is gone.
sim::Task<void> GarbageCollector::OrphanOne(Batch* batch, NodePtr dependent,
                                            std::string owner_uid) {
  std::vector<std::string> uids;
  uids.push_back(std::move(owner_uid));
  const client::Client::ObjectResult patched =
      co_await requests_.DropOwners(dependent, std::move(uids));
  if (!patched.ok() && !api::IsNotFound(patched.status())) {
    batch->errors.push_back(fmt::format("orphaning {} failed, {}", dependent->identity.ToString(),
                                        patched.status().message));
  }
  if (--batch->running == 0) batch->finished.Notify();
}

}  // namespace ksim::controllers
