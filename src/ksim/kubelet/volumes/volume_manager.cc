#include "ksim/kubelet/volumes/volume_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ksim/kubelet/volumes/volume_content.h"
#include "ksim/sim/mailbox.h"

namespace ksim::kubelet {

using value::Value;

namespace {

constexpr Duration kReconcilePeriod = Milliseconds(100);
constexpr Duration kLookPeriod = Milliseconds(300);         // podAttachAndMountRetryInterval
constexpr Duration kLongestWait = Minutes(2) + Seconds(3);  // podAttachAndMountTimeout
constexpr Duration kFirstBackOff = Milliseconds(500);
constexpr Duration kLongestBackOff = Minutes(2) + Seconds(2);
// A run is quiet although a volume waits longer than this to be set up again.
constexpr Duration kAwaitedBackOff = Seconds(40);

// The first moment of a grid, which begins at `start`, that is after `time`.
VirtualTime NextOfGrid(VirtualTime start, Duration period, VirtualTime time) {
  const std::int64_t age = (time - start).ns();
  return time + Duration(period.ns() - age % period.ns());
}

// util.go GetPodVolumeNames: a volume that no container mounts is left out.
std::set<std::string, std::less<>> MountedNames(const api::Object& pod) {
  std::set<std::string, std::less<>> names;
  for (const char* list : {"initContainers", "containers"})
    for (const Value& container : pod.spec().Get(list).items())
      for (const char* uses : {"volumeMounts", "volumeDevices"})
        for (const Value& mount : container.Get(uses).items())
          names.emplace(mount.Get("name").AsString());
  return names;
}

// The claim of a pod's volume; "": it has none.
std::string ClaimOf(const api::Object& pod, const Value& volume) {
  const std::string_view claim = volume.Get("persistentVolumeClaim").Get("claimName").AsString();
  if (!volume.Has("ephemeral")) return std::string(claim);
  return fmt::format("{}-{}", pod.name(), volume.Get("name").AsString());
}

// errors.NewAggregate: each text once.
std::string Aggregate(const std::vector<std::string>& errors) {
  std::vector<std::string> once;
  for (const std::string& error : errors)
    if (std::find(once.begin(), once.end(), error) == once.end()) once.push_back(error);
  if (once.size() == 1) return once.front();
  return once.empty() ? "" : fmt::format("[{}]", fmt::join(once, ", "));
}

}  // namespace

struct VolumeManager::Volume {
  Value spec;
  std::string name;
  std::vector<ContentSource> sources;
  std::string claim;            // "": it has none
  AttachableVolume attachable;  // that stands behind the claim
  bool waits = false;           // to be attached
  bool mounted = false;
  bool due = true;     // to be set up, or to be set up again
  Duration backoff;    // 0: the last set-up did not fail
  VirtualTime failed;  // then
  VirtualTime woken;   // when it stopped waiting
};

struct VolumeManager::PodVolumes {
  explicit PodVolumes(sim::Simulation& sim) : mounted(sim), changed(sim) {}
  bool AllMounted() const {
    return std::all_of(volumes.begin(), volumes.end(), [](const Volume& v) { return v.mounted; });
  }
  api::Object pod;
  std::vector<Volume> volumes;
  bool mounting = false;  // Mount runs
  bool news = false;      // an object has come or changed since the last set-up
  sim::Process::TaskId task;
  sim::Signal mounted;  // a volume is there
  sim::Signal changed;  // for Mount: there is more to do, or news
};

VolumeManager::VolumeManager(sim::Process& process, client::Client& client,
                             client::SharedInformer& nodes, PodObjects& objects,
                             VolumesInUse& in_use, const std::string& node,
                             client::EventRecorder& recorder, const Profile& profile)
    : process_(process),
      attachable_(process, client, nodes, in_use, node),
      objects_(objects),
      recorder_(recorder),
      profile_(profile),
      started_(process.SteadyNow()) {
  attachable_.OnChange([this] { AttachmentsChanged(); });
}

VolumeManager::~VolumeManager() = default;

bool VolumeManager::HasVolumes(const api::Object& pod) {
  const auto [it, fresh] = pods_.try_emplace(std::string(pod.uid()));
  if (fresh) {
    auto found = std::make_shared<PodVolumes>(process_.simulation());
    const auto mounts = MountedNames(pod);
    const bool attaches = attachable_.any();
    for (const Value& spec : pod.spec().Get("volumes").items()) {
      const std::string_view name = spec.Get("name").AsString();
      if (!mounts.contains(name)) continue;
      Volume volume;
      volume.spec = spec;
      volume.name = std::string(name);
      volume.sources = VolumeSources(spec);
      if (attaches) volume.claim = ClaimOf(pod, spec);
      const bool downward = spec.Has("downwardAPI");
      if (downward || !volume.sources.empty() || !volume.claim.empty())
        found->volumes.push_back(std::move(volume));
    }
    if (!found->volumes.empty()) it->second = std::move(found);
  }
  return it->second != nullptr;
}

sim::Task<bool> VolumeManager::WaitForMounts(api::Object pod) {
  const std::shared_ptr<PodVolumes> volumes = pods_.at(std::string(pod.uid()));
  sim::Simulation& sim = process_.simulation();

  // 1. Each volume is to be set up, or once more (ReprocessPod).
  volumes->pod = std::move(pod);
  for (Volume& volume : volumes->volumes) volume.due = true;
  if (volumes->mounting) {
    volumes->changed.Notify();
  } else {
    volumes->mounting = true;
    volumes->task = process_.Spawn(Mount(volumes));
  }

  // 2. Look from time to time whether all are there.
  const VirtualTime since = process_.SteadyNow();
  while (!volumes->AllMounted()) {
    const Duration left = since + kLongestWait - process_.SteadyNow();
    if (left <= Duration()) {
      ReportTimeout(*volumes);
      co_return false;
    }
    const bool woken = co_await volumes->mounted.WaitFor(left, sim::TimerKind::kPeriodic);
    if (!woken) continue;
    const VirtualTime look = NextOfGrid(since, kLookPeriod, process_.SteadyNow());
    co_await sim.Sleep(look - process_.SteadyNow(), sim::TimerKind::kWork, "volumes");
  }
  co_return true;
}

// Up to 1.29 kubelet.go SyncPod tells of every error, later of none that is a time-out.
void VolumeManager::ReportTimeout(const PodVolumes& pod) {
  if (!profile_.mount_timeout_event) return;
  std::vector<std::string> unmounted, all;
  for (const Volume& volume : pod.volumes)
    if (!volume.mounted) unmounted.push_back(volume.name);
  std::sort(unmounted.begin(), unmounted.end());
  const auto mounts = MountedNames(pod.pod);
  for (const Value& spec : pod.pod.spec().Get("volumes").items())
    if (mounts.contains(spec.Get("name").AsString())) all.emplace_back(spec.Get("name").AsString());
  recorder_.Event(pod.pod, "Warning", "FailedMount",
                  fmt::format("Unable to attach or mount volumes: unmounted volumes=[{}], "
                              "unattached volumes=[{}]: timed out waiting for the condition",
                              fmt::join(unmounted, " "), fmt::join(all, " ")));
}

VirtualTime VolumeManager::NextTry(const Volume& volume) const {
  if (volume.backoff == Duration()) return volume.woken;
  return NextOfGrid(started_, kReconcilePeriod, volume.failed + volume.backoff);
}

// The reconciler and its operations, of one pod: works until no volume is due.
sim::Task<void> VolumeManager::Mount(std::shared_ptr<PodVolumes> pod) {
  for (;;) {
    // 1. Set up what is due.
    std::optional<VirtualTime> next;
    bool worked = false;
    for (Volume& volume : pod->volumes) {
      if (!volume.due || volume.waits) continue;
      const VirtualTime at = NextTry(volume);
      if (at > process_.SteadyNow()) {
        next = next ? std::min(*next, at) : at;
        continue;
      }
      worked = true;
      pod->news = false;
      const SetUpResult result = co_await SetUp(&pod->pod, &volume);
      volume.due = result.outcome != Outcome::kDone;
      volume.waits = result.outcome == Outcome::kWaits;
      if (volume.waits) continue;
      if (!volume.due) {
        volume.backoff = Duration();
        volume.mounted = true;
        pod->mounted.Notify();
        continue;
      }
      volume.backoff = volume.backoff == Duration()
                           ? kFirstBackOff
                           : std::min(volume.backoff + volume.backoff, kLongestBackOff);
      volume.failed = process_.SteadyNow();
      if (!result.event.empty()) recorder_.Event(pod->pod, "Warning", "FailedMount", result.event);
    }
    if (worked) continue;
    const bool waits = std::any_of(pod->volumes.begin(), pod->volumes.end(),
                                   [](const Volume& volume) { return volume.waits; });
    if (!next && !waits) break;
    if (!next) {
      co_await pod->changed.Wait();
      process_.simulation().context().background = false;  // it hears of it by a heartbeat
      continue;
    }

    // 2. Wait for the end of a back-off.
    const Duration left = *next - process_.SteadyNow();
    sim::TimerKind kind = sim::TimerKind::kPeriodic;
    if (left <= kAwaitedBackOff || pod->news) kind = sim::TimerKind::kWork;
    co_await pod->changed.WaitFor(left, kind);
  }
  pod->mounting = false;
}

sim::Task<VolumeManager::SetUpResult> VolumeManager::SetUp(const api::Object* pod, Volume* volume) {
  if (!volume->claim.empty()) {
    SetUpResult claimed = co_await SetUpClaim(pod, volume);
    co_return claimed;
  }
  const std::string error = co_await SetUpContent(pod, volume);
  if (error.empty()) co_return SetUpResult(Outcome::kDone);
  co_return SetUpResult(
      Outcome::kFailed,
      fmt::format("MountVolume.SetUp failed for volume \"{}\" : {}", volume->name, error));
}

// It is mounted once, and not again at later syncs.
sim::Task<VolumeManager::SetUpResult> VolumeManager::SetUpClaim(const api::Object* pod,
                                                                Volume* volume) {
  if (volume->mounted) co_return SetUpResult(Outcome::kDone);
  if (!volume->attachable.known) {
    const std::string ns(pod->ns());
    volume->attachable = co_await attachable_.Find(ns, volume->claim);
    if (!volume->attachable.known) co_return SetUpResult(Outcome::kFailed);
    if (volume->attachable.attachable) attachable_.Use(std::string(pod->uid()), volume->attachable);
  }
  if (!volume->attachable.attachable) co_return SetUpResult(Outcome::kDone);
  if (!attachable_.IsAttached(volume->attachable)) co_return SetUpResult(Outcome::kWaits);
  const AttachableVolumes::Verdict verdict = co_await attachable_.Verify(volume->attachable);
  if (verdict.attached) co_return SetUpResult(Outcome::kDone);
  if (verdict.event.empty()) co_return SetUpResult(Outcome::kFailed);
  co_return SetUpResult(Outcome::kFailed,
                        fmt::format("MountVolume.WaitForAttach failed for volume \"{}\" : {}",
                                    volume->attachable.volume, verdict.event));
}

// SetUpAt, collectData: what is wrong; "": nothing. A projected volume tells of all its sources.
sim::Task<std::string> VolumeManager::SetUpContent(const api::Object* pod, const Volume* volume) {
  std::vector<std::string> errors;
  const std::string ns(pod->ns());
  const std::vector<ContentSource> sources = volume->sources;
  for (const ContentSource& source : sources) {
    for (std::string& error : MissingContainers(source, *pod)) errors.push_back(std::move(error));
    if (!source.object) continue;
    const ObjectReference& named = *source.object;
    const Lookup found = co_await objects_.Get(named.kind, ns, named.name);
    const bool left_out = found.not_found && named.optional;
    std::string error = found.error;
    if (left_out) error.clear();
    if (error.empty() && !left_out) error = MissingKey(named, found.object);
    if (!error.empty()) errors.push_back(std::move(error));
  }
  co_return Aggregate(errors);
}

void VolumeManager::ObjectsChanged(const std::string& uid) {
  const auto it = pods_.find(uid);
  if (it == pods_.end() || it->second == nullptr) return;
  it->second->news = true;
  it->second->changed.Notify();
}

// The reconciler sees it at its next tick.
void VolumeManager::AttachmentsChanged() {
  for (const auto& [uid, pod] : pods_) {
    if (pod == nullptr) continue;
    bool waited = false;
    for (Volume& volume : pod->volumes) {
      if (!volume.waits) continue;
      waited = true;
      volume.waits = false;
      volume.woken = NextOfGrid(started_, kReconcilePeriod, process_.SteadyNow());
    }
    if (waited) pod->changed.Notify();
  }
}

void VolumeManager::Forget(const std::string& uid) {
  attachable_.Release(uid);
  const auto it = pods_.find(uid);
  if (it == pods_.end()) return;
  if (it->second != nullptr && it->second->mounting) process_.Cancel(it->second->task);
  pods_.erase(it);
}

}  // namespace ksim::kubelet
