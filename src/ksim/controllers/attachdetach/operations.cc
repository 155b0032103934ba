// The operations of the attach-detach controller: what it asks of drivers, one at a time for a
// volume, with a wait after each failure that doubles.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/controllers/attachdetach/attach_detach_controller.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr Duration kFirstOperationBackOff = Milliseconds(500);
constexpr Duration kLongestOperationBackOff = Minutes(2) + Seconds(2);
constexpr Duration kDriverTimeout = Minutes(2);  // csiTimeout
constexpr int kManyLooks = 1000;

}  // namespace

// --- one at a time -----------------------------------------------------------------------------

std::string AttachDetachController::KeyOf(const Place& place) {
  return api::MayAttachToSeveral(place.spec) ? fmt::format("{} {}", place.volume, place.node)
                                             : place.volume;
}

bool AttachDetachController::Runs(const Place& place) const {
  const auto it = operations_.find(KeyOf(place));
  return it != operations_.end() && it->second.running;
}

bool AttachDetachController::MayStart(const Place& place, std::string_view name) const {
  const auto it = operations_.find(KeyOf(place));
  if (it == operations_.end()) return true;
  const Operation& last = it->second;
  const bool recent = context_.process.SteadyNow() - last.failed <= last.backoff;
  return !last.running && !(recent && last.name == name);
}

bool AttachDetachController::Begin(const Place& place, std::string_view name) {
  if (!MayStart(place, name)) return false;
  Operation& operation = operations_[KeyOf(place)];
  // Another kind of operation does not wait, and begins with short waits.
  if (context_.process.SteadyNow() - operation.failed <= operation.backoff)
    operation.backoff = Duration();
  operation.name = name;
  operation.running = true;
  return true;
}

void AttachDetachController::Finish(const Place& place, bool failed) {
  const auto it = operations_.find(KeyOf(place));
  if (it != operations_.end() && failed) {
    Operation& operation = it->second;
    operation.running = false;
    operation.failed = context_.process.SteadyNow();
    operation.backoff = operation.backoff == Duration()
                            ? kFirstOperationBackOff
                            : std::min(operation.backoff * 2, kLongestOperationBackOff);
  } else if (it != operations_.end()) {
    operations_.erase(it);
  }
  Touch();
}

// --- attach ------------------------------------------------------------------------------------

void AttachDetachController::StartAttach(const Place& place, const DesiredState::Volume& wanted) {
  if (!Begin(place, kAttachOperation)) return;
  std::vector<api::Object> pods;
  for (const auto& [uid, pod] : wanted.pods) pods.push_back(pod);
  context_.process.Spawn(Attach(place, std::move(pods)), context_.name);
}

// GenerateAttachVolumeFunc. The pods are those that needed the volume when it began.
sim::Task<void> AttachDetachController::Attach(Place place, std::vector<api::Object> pods) {
  const std::string error = co_await AttachByDriver(place);
  actual_.Mark(place.volume, place.spec, place.node, error.empty());
  for (const api::Object& pod : pods) {
    if (error.empty())
      recorder_.Event(
          pod, "Normal", "SuccessfulAttachVolume",
          fmt::format("AttachVolume.Attach succeeded for volume \"{}\" ", place.spec.name()));
    else
      recorder_.Event(pod, "Warning", "FailedAttachVolume",
                      fmt::format("AttachVolume.Attach failed for volume \"{}\" : {}",
                                  place.spec.name(), error));
  }
  Finish(place, !error.empty());
}

// csiAttacher.Attach
sim::Task<std::string> AttachDetachController::AttachByDriver(Place place) {
  const api::CsiVolume csi = api::CsiVolumeNamed(place.volume);
  const std::string name = csi.AttachmentOn(place.node);
  if (attachments_->lister().Get("", name).empty()) {
    const Value source = value::Obj({{"persistentVolumeName", Value::String(place.spec.name())}});
    const api::Object attachment = api::Object::FromTree(
        value::Obj({{"apiVersion", Value::Of("storage.k8s.io/v1")},
                    {"kind", Value::Of("VolumeAttachment")},
                    {"metadata", value::Obj({{"name", Value::String(name)}})},
                    {"spec", value::Obj({{"attacher", Value::String(csi.driver)},
                                         {"nodeName", Value::String(place.node)},
                                         {"source", source}})}}));
    client::Client::ObjectResult made = co_await client_.Create(attachments_kind_, attachment);
    if (!made.ok() && !api::IsAlreadyExists(made.status()))
      co_return fmt::format("kubernetes.io/csi: attacher.Attach failed: {}",
                            made.status().message.str());
  }
  const Verdict verdict = [](const api::Object& found) -> std::optional<std::string> {
    if (found.empty()) return std::nullopt;  // it was just made
    if (found.deleting()) return "volume attachment is being deleted";
    if (found.status().Get("attached").AsBool()) return "";
    const Value& error = found.status().Get("attachError");
    if (error.is_null()) return std::nullopt;
    return std::string(error.Get("message").AsString());
  };
  co_return co_await WaitForAttacher(
      name, verdict,
      fmt::format("timed out waiting for external-attacher of {} CSI driver to attach volume {}",
                  csi.driver, csi.handle));
}

// waitForVolumeAttachDetachStatusWithLister: it looks after 500 ms, and then ever less often.
sim::Task<std::string> AttachDetachController::WaitForAttacher(std::string attachment,
                                                               Verdict verdict,
                                                               std::string on_timeout) {
  sim::Simulation& sim = context_.process.simulation();
  const VirtualTime end = context_.process.SteadyNow() + kDriverTimeout;
  client::Backoff looks(Milliseconds(500), 105, 10, kManyLooks, Seconds(7));
  for (;;) {
    const Duration wait = looks.Step(jitter_);
    const Duration left = end - context_.process.SteadyNow();
    co_await sim.Sleep(std::min(wait, left), sim::TimerKind::kWork, "wait for an attacher");
    if (wait >= left) co_return on_timeout;
    const std::optional<std::string> done = verdict(attachments_->lister().Get("", attachment));
    if (done) co_return *done;
  }
}

// --- detach ------------------------------------------------------------------------------------

void AttachDetachController::StartDetach(const Place& place, bool verify) {
  if (Begin(place, kDetachOperation))
    context_.process.Spawn(Detach(place, verify), context_.name);
  else
    actual_.Report(place.volume, place.node);
}

// GenerateDetachVolumeFunc
sim::Task<void> AttachDetachController::Detach(Place place, bool verify) {
  const std::string error = co_await DetachByDriver(place, verify);
  if (error.empty())
    actual_.Remove(place.volume, place.node);
  else if (profile_.failed_detach_is_uncertain)
    actual_.Mark(place.volume, place.spec, place.node, false);
  else
    actual_.Report(place.volume, place.node);
  Finish(place, !error.empty());
}

// verifyVolumeIsSafeToDetach, csiAttacher.Detach
sim::Task<std::string> AttachDetachController::DetachByDriver(Place place, bool verify) {
  if (verify) {
    client::Client::ObjectResult node = co_await client_.Get(node_kind_, "", place.node);
    if (!node.ok() && !api::IsNotFound(node.status())) co_return node.status().message.str();
    if (node.ok() && api::ListsVolume(node->status().Get("volumesInUse"), place.volume))
      co_return "volume is still in use by node, according to Node status";
  }
  const std::string name = api::CsiVolumeNamed(place.volume).AttachmentOn(place.node);
  const api::DeleteOptions options;
  client::Client::ObjectResult deleted =
      co_await client_.Delete(attachments_kind_, "", name, options);
  if (!deleted.ok()) {
    if (api::IsNotFound(deleted.status())) co_return std::string();
    co_return deleted.status().message.str();
  }
  const Verdict verdict = [](const api::Object& found) -> std::optional<std::string> {
    if (found.empty()) return "";
    const Value& error = found.status().Get("detachError");
    if (error.is_null()) return std::nullopt;
    return std::string(error.Get("message").AsString());
  };
  co_return co_await WaitForAttacher(name, verdict, "timed out waiting for the detachment");
}

}  // namespace ksim::controllers
