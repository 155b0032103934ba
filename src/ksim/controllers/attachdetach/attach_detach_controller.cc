#include "ksim/controllers/attachdetach/attach_detach_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/views/volumes.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr Duration kAddPeriod = Minutes(3);  // DesiredStateOfWorldPopulatorListPodsRetryDuration

}  // namespace

AttachDetachController::AttachDetachController(ControllerContext context)
    : context_(std::move(context)),
      profile_(controllers::ProfileOf(context_.env().compat)),
      drivers_kind_(context_.Resource("storage.k8s.io", "csidrivers")),
      attachments_kind_(context_.Resource("storage.k8s.io", "volumeattachments")),
      node_kind_(context_.Resource("", "nodes")),
      client_(context_.connection, context_.actor(),
              ManagerClient(context_, "attachdetach-controller")),
      recorder_(context_.connection, context_.actor(), "attachdetach-controller", "",
                client::EventRecorder::Api::kCore, client_.options()),
      first_use_(context_.process, context_.env(), context_.informers),
      jitter_(context_.env(), fmt::format("attach/{}", context_.process.name())),
      attacher_(context_),
      news_(context_.process.simulation()) {}

AttachDetachController::~AttachDetachController() = default;

void AttachDetachController::Start() {
  first_use_.Begin({drivers_kind_}, context_.name, [this] { Begin(); }, [this] { Work(); });
}

void AttachDetachController::Begin() {
  pods_ = &context_.informers.For(context_.Resource("", "pods"));
  nodes_ = &context_.informers.For(node_kind_);
  claims_ = &context_.informers.For(context_.Resource("", "persistentvolumeclaims"));
  volumes_ = &context_.informers.For(context_.Resource("", "persistentvolumes"));
  drivers_ = &context_.informers.For(drivers_kind_);
  attachments_ = &context_.informers.For(attachments_kind_);
  pod_handlers_.add = [this](const api::Object& pod, bool) { LookAtPod(pod, false); };
  pod_handlers_.update = [this](const api::Object&, const api::Object& pod) {
    LookAtPod(pod, false);
  };
  pod_handlers_.del = [this](const client::Deleted& gone) { LookAtPod(gone.object, true); };
  node_handlers_.add = [this](const api::Object& node, bool) {
    LookAtNode(node);
    actual_.SetUpdateNeeded(node.name());
  };
  node_handlers_.update = [this](const api::Object&, const api::Object& node) { LookAtNode(node); };
  node_handlers_.del = [this](const client::Deleted& gone) { ForgetNode(gone.object); };
  claim_handlers_.add = [this](const api::Object& claim, bool) { LookAtClaim(claim); };
  claim_handlers_.update = [this](const api::Object&, const api::Object& claim) {
    LookAtClaim(claim);
  };
  pods_->AddHandler(context_.actor(), &pod_handlers_);
  nodes_->AddHandler(context_.actor(), &node_handlers_);
  claims_->AddHandler(context_.actor(), &claim_handlers_);
  // Without its CSIDriver a driver attached nothing.
  driver_handlers_.add = [this](const api::Object&, bool) { LookAtAllPods(); };
  driver_handlers_.update = [this](const api::Object&, const api::Object&) { LookAtAllPods(); };
  drivers_->AddHandler(context_.actor(), &driver_handlers_);
  attachment_handlers_.update = [this](const api::Object&, const api::Object&) { Touch(); };
  attachment_handlers_.del = [this](const client::Deleted&) { Touch(); };
  attachments_->AddHandler(context_.actor(), &attachment_handlers_);
  attacher_.Begin(*attachments_, *volumes_);
}

void AttachDetachController::Work() {
  attacher_.Work();
  context_.process.Spawn(Run(), context_.name);
}

// --- nodes -------------------------------------------------------------------------------------

void AttachDetachController::LookAtNode(const api::Object& node) {
  desired_.AddNode(node.name());
  SetInUse(node);
}

// The node is gone, and with it who would say that it does not use a volume any more.
void AttachDetachController::ForgetNode(const api::Object& node) {
  if (node.empty()) return;
  desired_.DeleteNode(node.name());
  SetInUse(node);
}

void AttachDetachController::SetInUse(const api::Object& node) {
  std::set<std::string, std::less<>> in_use;
  for (const Value& volume : node.status().Get("volumesInUse").items())
    in_use.emplace(volume.AsString());
  actual_.SetInUse(node.name(), std::move(in_use));
  if (!actual_.volumes().empty()) Touch();
}

// --- pods --------------------------------------------------------------------------------------

bool AttachDetachController::ForVolumes(const api::Object& pod, const OnVolume& what) const {
  bool all = true;
  for (const api::PodClaim& one : api::ClaimsOfPod(pod)) {
    const api::Object claim = claims_->lister().Get(pod.ns(), one.claim);
    const std::string_view name = claim.empty() || claim.status().Get("phase") != Value::Of("Bound")
                                      ? std::string_view()
                                      : claim.spec().Get("volumeName").AsString();
    if (name.empty() || (one.ephemeral && api::WhyNotForPod(pod, claim))) {
      all = false;
      continue;
    }
    const api::Object volume = volumes_->lister().Get("", name);
    const Value& reference = volume.empty() ? Value() : volume.spec().Get("claimRef");
    if (volume.empty() || reference.Get("uid").AsString() != claim.uid()) {
      all = false;
      continue;
    }
    const api::CsiVolume csi = api::CsiVolumeOf(volume);
    if (csi.driver.empty() || !api::NeedsAttach(drivers_->lister().Get("", csi.driver))) continue;
    what(csi.UniqueName(), volume);
  }
  return all;
}

// podAdd, podUpdate, podDelete, ProcessPodVolumes
void AttachDetachController::LookAtPod(const api::Object& pod, bool gone) {
  if (pod.empty() || pod.node_name().empty() || !desired_.HasNode(pod.node_name())) return;
  const bool needs = !gone && !api::IsPodTerminated(pod);
  const bool all = ForVolumes(pod, [&](const std::string& name, const api::Object& volume) {
    if (needs ? desired_.AddPod(pod, name, volume) : desired_.DeletePod(pod, name)) Touch();
  });
  // A volume of a pod that is gone may be found by the pod alone.
  if (!all && (needs || !desired_.empty())) {
    missed_ = missed_ || needs;
    Touch();
  }
}

// syncPVCByKey
void AttachDetachController::LookAtClaim(const api::Object& claim) {
  if (claim.status().Get("phase").AsString() != "Bound" ||
      claim.spec().Get("volumeName").AsString().empty())
    return;
  for (const api::Object& pod : pods_->lister().List(claim.ns()))
    if (!pod.node_name().empty() && !api::IsPodTerminated(pod) && api::UsesClaim(pod, claim.name()))
      LookAtPod(pod, false);
}

// populateActualStateOfWorld, populateDesiredStateOfWorld. Attachments of which no node's status
// tells may have come true or not.
void AttachDetachController::Populate() {
  for (const api::Object& node : nodes_->lister().List("")) {
    for (const Value& volume : node.status().Get("volumesAttached").items())
      actual_.Mark(std::string(volume.Get("name").AsString()), {}, std::string(node.name()), true);
    LookAtNode(node);
  }
  for (const api::Object& attachment : attachments_->lister().List("")) {
    const Value& source = attachment.spec().Get("source").Get("persistentVolumeName");
    const api::Object volume = volumes_->lister().Get("", source.AsString());
    const std::string node(attachment.spec().Get("nodeName").AsString());
    const api::CsiVolume csi = api::CsiVolumeOf(volume);
    if (csi.driver.empty() || !api::NeedsAttach(drivers_->lister().Get("", csi.driver))) continue;
    if (actual_.Find(csi.UniqueName(), node) == nullptr)
      actual_.Mark(csi.UniqueName(), volume, node, false);
  }
  for (const api::Object& pod : pods_->lister().List("")) {
    LookAtPod(pod, false);
    const std::string node(pod.node_name());
    ForVolumes(pod, [&](const std::string& name, const api::Object& volume) {
      const ActualState::OnNode* on = actual_.Find(name, node);
      if (on != nullptr && on->confirmed) actual_.Mark(name, volume, node, true);
    });
  }
}

bool AttachDetachController::IsLost(const api::Object& pod) const {
  const api::Object cached = pods_->lister().Get(pod.ns(), pod.name());
  return cached.empty() || cached.uid() != pod.uid() || api::IsPodTerminated(cached);
}

bool AttachDetachController::HasLostPods() const {
  for (const auto& [node, volumes] : desired_.nodes())
    for (const auto& [name, volume] : volumes)
      for (const auto& [uid, pod] : volume.pods)
        if (IsLost(pod)) return true;
  return false;
}

bool AttachDetachController::FindsMore() const {
  bool more = false;
  for (const api::Object& pod : pods_->lister().List("")) {
    if (pod.node_name().empty() || api::IsPodTerminated(pod) || !desired_.HasNode(pod.node_name()))
      continue;
    ForVolumes(pod, [&](const std::string& name, const api::Object&) {
      more = more || !desired_.Has(name, pod.node_name());
    });
  }
  return more;
}

// VerifyVolumesAreAttached
std::vector<AttachDetachController::Place> AttachDetachController::LostAttachments() const {
  std::vector<Place> lost;
  for (const auto& [name, volume] : actual_.volumes()) {
    for (const auto& [node, on] : volume.nodes) {
      if (!on.confirmed || volume.spec.empty()) continue;
      Place place;
      place.volume = name;
      place.node = node;
      place.spec = volume.spec;
      const std::string attachment = api::CsiVolumeNamed(name).AttachmentOn(node);
      const api::Object cached = attachments_->lister().Get("", attachment);
      const bool attached = !cached.empty() && cached.status().Get("attached").AsBool();
      if (!attached && !Runs(place)) lost.push_back(std::move(place));
    }
  }
  return lost;
}

// findAndRemoveDeletedPods, findAndAddActivePods
void AttachDetachController::LookAnew() {
  for (const Place& place : LostAttachments()) actual_.Remove(place.volume, place.node);
  std::vector<std::pair<std::string, api::Object>> lost;
  for (const auto& [node, volumes] : desired_.nodes())
    for (const auto& [name, volume] : volumes)
      for (const auto& [uid, pod] : volume.pods)
        if (IsLost(pod)) lost.emplace_back(name, pod);
  for (const auto& [name, pod] : lost) desired_.DeletePod(pod, name);
  const VirtualTime now = context_.process.SteadyNow();
  last_looked_ = now;
  if (now - last_added_ < kAddPeriod) return;
  last_added_ = now;
  LookAtAllPods();
}

void AttachDetachController::LookAtAllPods() {
  missed_ = false;
  for (const api::Object& pod : pods_->lister().List(""))
    if (!api::IsPodTerminated(pod)) LookAtPod(pod, false);
}

}  // namespace ksim::controllers
