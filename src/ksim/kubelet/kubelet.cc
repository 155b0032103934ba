#include "ksim/kubelet/kubelet.h"

#include <algorithm>
#include <utility>

#include "ksim/api/pod.h"
#include "ksim/client/rest/component_limits.h"
#include "ksim/kubelet/admission.h"
#include "ksim/sim/probe.h"

namespace ksim::kubelet {

namespace {

constexpr Duration kRelistPeriod = Seconds(1);
constexpr Duration kSourcePoll = Milliseconds(100);

client::ClientOptions KubeletClientOptions(const std::string& node, api::Compat compat) {
  return client::LimitedAs(client::Limits::kKubelet, compat, "system:node:" + node);
}

// Heartbeats have a client of their own, which gives up before the next is due.
client::ClientOptions HeartbeatClientOptions(const std::string& node, api::Compat compat) {
  client::ClientOptions options = KubeletClientOptions(node, compat);
  options.qps = -1;
  options.timeout = Seconds(10);
  return options;
}

client::InformerOptions OwnNode(const std::string& node) {
  client::InformerOptions options;
  options.field_selector = "metadata.name=" + node;
  return options;
}

// If the first list comes from an API server's cache, a kubelet that comes back may see pods as
// they were before: kubernetes#59848, the variant kubelet.initialList.
client::InformerOptions OwnPods(const std::string& node, const api::Variants& variants) {
  KSIM_PROBE("variant/kubelet.initialList");
  client::InformerOptions options;
  options.first_list = variants.kubelet_initial_list == api::Variants::InitialList::kCache0
                           ? client::FirstList::kCached
                           : client::FirstList::kConsistent;
  options.field_selector = "spec.nodeName=" + node;
  return options;
}

// config.go podsDifferSemantically: the pods differ in more than their status. Annotations count
// too, as far as they are not the kubelet's own.
bool DifferSemantically(const api::Object& a, const api::Object& b) {
  const auto same = [&](const char* field) {
    return a.metadata().Get(field) == b.metadata().Get(field);
  };
  return !(a.spec() == b.spec() && a.labels() == b.labels() && a.annotations() == b.annotations() &&
           same("deletionTimestamp") && same("deletionGracePeriodSeconds"));
}

}  // namespace

Kubelet::Kubelet(sim::Process& process, client::Connection& connection,
                 client::InformerFactory& informers, Runtime& runtime, NodeOptions options)
    : process_(process),
      env_(connection.env()),
      profile_(ProfileOf(env_.compat)),
      informers_(informers),
      runtime_(runtime),
      options_(std::move(options)),
      client_(connection, process.actor(), KubeletClientOptions(options_.name, env_.compat)),
      heartbeats_(connection, process.actor(), HeartbeatClientOptions(options_.name, env_.compat)),
      recorder_(connection, process.actor(), "kubelet", options_.name,
                client::EventRecorder::Api::kCore,
                client::LimitedAs(client::Limits::kKubeletEvents, env_.compat,
                                  "system:node:" + options_.name)),
      nodes_(informers.For(env_.kinds.ByResource("", "nodes"), OwnNode(options_.name))),
      pods_(
          informers.For(env_.kinds.ByResource("", "pods"), OwnPods(options_.name, env_.variants))),
      statuses_(process, client_, runtime,
                [this](const std::string& uid) { return workers_.Finished(uid); }),
      prober_(process, env_, statuses_, recorder_,
              !options_.found.is_null() && process.incarnation() == 1,
              [this](const std::string& uid) { workers_.ProbeChanged(uid); }),
      objects_(process, client_, profile_),
      in_use_(runtime),
      volumes_(process, client_, nodes_, objects_, in_use_, options_.name, recorder_, profile_),
      workers_(process, env_, runtime, statuses_, recorder_, prober_, objects_, volumes_,
               options_.internal_ip()),
      evictions_(process, env_, runtime, workers_, recorder_, options_.name, options_.capacity),
      node_(process, client_, heartbeats_, nodes_, options_, recorder_, in_use_,
            [this](Trouble t) {
              return t == Trouble::kNetwork ? runtime_.Has(t) : evictions_.Under(t);
            }),
      started_(process.SteadyNow()),
      runtime_changed_(process.simulation()) {
  if (options_.stages != nullptr)
    stages_ = std::make_unique<StagePlayer>(process, client_, runtime, options_.stages,
                                            options_.name, options_.internal_ip());
  runtime_.OnChange([this](const std::string& uid) { RuntimeChanged(uid); });
  runtime_.OnTrouble([this] { evictions_.TroubleChanged(); });
  objects_.OnChange([this](const std::string& uid) {
    volumes_.ObjectsChanged(uid);
    workers_.ObjectsChanged(uid);
  });
}

Kubelet::~Kubelet() {
  runtime_.OnChange(nullptr);
  runtime_.OnTrouble(nullptr);
}

void Kubelet::Start() {
  pod_handlers_.add = [this](const api::Object& pod, bool) { AddPod(pod); };
  pod_handlers_.update = [this](const api::Object& a, const api::Object& b) { UpdatePod(a, b); };
  pod_handlers_.del = [this](const client::Deleted& d) { RemovePod(d.object); };
  pod_registration_ = pods_.AddHandler(process_.actor(), &pod_handlers_);
  statuses_.Start();
  node_.Start();
  evictions_.Start();
  process_.Spawn(Relist());
  process_.Spawn(Run());
}

// The kubelet starts no pod before it knows its node and has the first list (config/apiserver.go
// NewSourceApiserver). That list is one set of additions, the oldest pod first
// (HandlePodAdditions).
sim::Task<void> Kubelet::Run() {
  const bool synced = co_await informers_.WaitForCacheSync();
  if (!synced) co_return;
  while (!pods_.HasSynced(pod_registration_))
    co_await process_.simulation().Sleep(kSourcePoll, sim::TimerKind::kWork, "pod source");
  std::vector<api::Object> pods;
  for (const auto& [uid, pod] : std::exchange(early_, {})) pods.push_back(pod);
  std::sort(pods.begin(), pods.end(), [](const api::Object& a, const api::Object& b) {
    const std::string_view at = a.metadata().Get("creationTimestamp").AsString();
    const std::string_view bt = b.metadata().Get("creationTimestamp").AsString();
    return at != bt ? at < bt : a.key() < b.key();
  });
  ready_ = true;
  for (const api::Object& pod : pods) AddPod(pod);
  CleanUp();
}

// HandlePodCleanups: once the pod config is complete, the kubelet kills the pods that are not in
// it: pods deleted before that, and sandboxes whose pod is gone.
void Kubelet::CleanUp() {
  for (const std::string& uid : workers_.Uids()) {
    bool wanted = false;
    for (const api::Object& pod : pods_.lister().List("")) wanted = wanted || pod.uid() == uid;
    if (!wanted) workers_.Remove(uid);
  }
  for (const std::string& uid : runtime_.PodUids()) {
    if (!workers_.Known(uid)) workers_.KillOrphan(runtime_.Find(uid)->pod);
  }
  if (stages_ != nullptr) stages_->ForgetOthers();
}

// A pod stays with the runtime or with the Stages, whichever took it: a label that changes later
// does not move it, nor does a restart of the kubelet.
bool Kubelet::PlayStages(const api::Object& pod) {
  const std::string uid(pod.uid());
  if (stages_ == nullptr || workers_.Known(uid) || runtime_.Find(uid) != nullptr) return false;
  if (!runtime_.IsPlayed(uid) && !stages_->Selects(pod)) return false;
  runtime_.UsePodNetwork(nodes_.lister().Get("", options_.name).spec().Get("podCIDR").AsString());
  stages_->See(pod);
  return true;
}

// Pods that run already are admitted anew: a kubelet that comes back remembers nothing, and the
// node may have changed.
void Kubelet::AddPod(const api::Object& pod) {
  if (!ready_) {
    early_[std::string(pod.uid())] = pod;
    return;
  }
  if (PlayStages(pod)) return;
  const bool over = pod.deleting() || api::PodView(pod).terminal();
  if (!over) {
    api::Object node = nodes_.lister().Get("", options_.name);
    if (node.empty()) node = node_.InitialNode();  // kubelet_getters.go getNodeAnyWay
    runtime_.UsePodNetwork(node.spec().Get("podCIDR").AsString());
    std::optional<Refusal> refusal = evictions_.Admit(pod);
    std::vector<api::Object> others = workers_.ActivePods();
    if (stages_ != nullptr) stages_->AppendActive(&others);
    if (!refusal) refusal = Admit(pod, others, node, profile_);
    if (refusal) {
      Reject(pod, *refusal);
      return;
    }
  }
  workers_.Update(pod);
}

void Kubelet::UpdatePod(const api::Object& before, const api::Object& after) {
  if (!ready_) {
    early_.erase(std::string(before.uid()));
    AddPod(after);
    return;
  }
  // Deleted and created again between two lists: another pod under the old name.
  if (before.uid() != after.uid()) {
    RemovePod(before);
    AddPod(after);
    return;
  }
  if (stages_ != nullptr && stages_->Plays(after)) {
    stages_->See(after);
    return;
  }
  const std::string uid(after.uid());
  statuses_.Observed(after);
  // A rejected pod has no worker. It gets one for its deletion if it was marked for deletion before
  // the kubelet saw the rejection.
  if (!workers_.Known(uid) && !after.deleting()) return;
  if (DifferSemantically(before, after)) {
    workers_.Update(after);
  } else {
    // Status only (RECONCILE): the next sync sees it.
    workers_.StatusSeen(after);
  }
}

// deletePod: ignored while the pod config is not complete.
void Kubelet::RemovePod(const api::Object& pod) {
  early_.erase(std::string(pod.uid()));
  if (pod.empty() || !ready_) return;
  workers_.Remove(std::string(pod.uid()));
  if (stages_ != nullptr) stages_->Remove(pod);
}

void Kubelet::Reject(const api::Object& pod, const Refusal& refusal) {
  recorder_.Event(pod, "Warning", refusal.reason, refusal.message);
  statuses_.Set(pod, RefusedStatus(pod, refusal, profile_, process_.Now()));
}

void Kubelet::RuntimeChanged(const std::string& uid) {
  changed_[uid] = process_.simulation().CaptureOrigin();
  runtime_changed_.Notify();
}

// The PLEG ticks from the kubelet's start. It does not tick while the runtime has not changed.
sim::Task<void> Kubelet::Relist() {
  while (true) {
    while (changed_.empty()) co_await runtime_changed_.Wait();
    if (!profile_.relists_at_once) {
      const std::int64_t period = kRelistPeriod.ns();
      const std::int64_t age = (process_.SteadyNow() - started_).ns();
      co_await process_.simulation().Sleep(Duration(period - age % period), sim::TimerKind::kWork,
                                           "runtime relist");
    }
    for (const auto& [uid, origin] : std::exchange(changed_, {})) {
      workers_.RuntimeChanged(uid, origin);
    }
  }
}

}  // namespace ksim::kubelet
