#include "ksim/kubelet/volumes/attachable_volumes.h"

#include <fmt/format.h>

#include "ksim/api/kinds.h"
#include "ksim/api/views/attachments.h"

namespace ksim::kubelet {

using value::Value;

namespace {

// A driver, a claim or a volume as it is read; nullopt: nobody can tell.
std::optional<api::Object> Answer(const client::Client::ObjectResult& result) {
  if (result.ok()) return *result;
  if (api::IsNotFound(result.status())) return api::Object();
  return std::nullopt;
}

}  // namespace

AttachableVolumes::AttachableVolumes(sim::Process& process, client::Client& client,
                                     client::SharedInformer& nodes, VolumesInUse& in_use,
                                     std::string node)
    : process_(process), client_(client), nodes_(nodes), in_use_(in_use), node_(std::move(node)) {}

bool AttachableVolumes::any() const {
  const api::Kinds& kinds = client_.connection().env().kinds;
  return kinds.HasHadObjects(*kinds.ByResource("storage.k8s.io", "csidrivers"));
}

void AttachableVolumes::OnChange(std::function<void()> listener) {
  changed_ = std::move(listener);
  in_use_.OnTold([this] { changed_(); });
}

// Nobody else needs to be told of the node, so it begins with the first volume.
void AttachableVolumes::WatchNode() {
  if (watches_) return;
  watches_ = true;
  handlers_.update = [this](const api::Object& before, const api::Object& after) {
    if (before.status().Get("volumesAttached") != after.status().Get("volumesAttached")) changed_();
  };
  nodes_.AddHandler(process_.actor(), &handlers_);
}

sim::Task<AttachableVolume> AttachableVolumes::Find(std::string ns, std::string claim) {
  const api::Kinds& kinds = client_.connection().env().kinds;
  const api::ResourceInfo* claims = kinds.ByResource("", "persistentvolumeclaims");
  const api::ResourceInfo* volumes = kinds.ByResource("", "persistentvolumes");
  const api::ResourceInfo* drivers = kinds.ByResource("storage.k8s.io", "csidrivers");
  AttachableVolume found;

  client::Client::ObjectResult claim_read = co_await client_.Get(claims, ns, claim);
  const std::optional<api::Object> bound = Answer(claim_read);
  if (!bound) co_return found;
  std::string name;
  if (!bound->empty()) name = std::string(bound->spec().Get("volumeName").AsString());
  if (name.empty()) {
    found.known = true;
    co_return found;
  }

  client::Client::ObjectResult volume_read = co_await client_.Get(volumes, "", name);
  const std::optional<api::Object> volume = Answer(volume_read);
  if (!volume) co_return found;
  const api::CsiVolume csi = api::CsiVolumeOf(*volume);
  if (csi.driver.empty()) {
    found.known = true;
    co_return found;
  }

  client::Client::ObjectResult driver_read = co_await client_.Get(drivers, "", csi.driver);
  const std::optional<api::Object> driver = Answer(driver_read);
  if (!driver) co_return found;
  found.known = true;
  found.attachable = api::NeedsAttach(*driver);
  found.volume = name;
  found.unique_name = csi.UniqueName();
  found.handle = csi.handle;
  found.attachment = csi.AttachmentOn(node_);
  co_return found;
}

void AttachableVolumes::Use(const std::string& uid, const AttachableVolume& volume) {
  WatchNode();
  in_use_.Use(uid, volume.unique_name);
}

bool AttachableVolumes::IsAttached(const AttachableVolume& volume) const {
  if (!in_use_.IsTold(volume.unique_name)) return false;
  const api::Object node = nodes_.lister().Get("", node_);
  return !node.empty() &&
         api::ListsVolume(node.status().Get("volumesAttached"), volume.unique_name);
}

sim::Task<AttachableVolumes::Verdict> AttachableVolumes::Verify(AttachableVolume volume) {
  const api::Kinds& kinds = client_.connection().env().kinds;
  const api::ResourceInfo* nodes = kinds.ByResource("", "nodes");
  const api::ResourceInfo* attachments = kinds.ByResource("storage.k8s.io", "volumeattachments");
  Verdict verdict;
  client::Client::ObjectResult node = co_await client_.Get(nodes, "", node_);
  const bool listed =
      node.ok() && api::ListsVolume(node->status().Get("volumesAttached"), volume.unique_name);
  if (!listed) co_return verdict;

  client::Client::ObjectResult attachment =
      co_await client_.Get(attachments, "", volume.attachment);
  if (!attachment.ok()) {
    verdict.event =
        fmt::format("volume {} has GET error for volume attachment {}: {}", volume.handle,
                    volume.attachment, attachment.status().message.str());
  } else if (attachment->deleting()) {
    verdict.event = "volume attachment is being deleted";
  } else if (!attachment->status().Get("attached").AsBool()) {
    verdict.event = fmt::format("volume {} is not attached for volume attachment {}", volume.handle,
                                volume.attachment);
  }
  verdict.attached = verdict.event.empty();
  co_return verdict;
}

}  // namespace ksim::kubelet
