#include "ksim/controllers/attachdetach/external_attacher.h"

#include <fmt/format.h>

#include <vector>

#include "ksim/controllers/common/finalizers.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Obj;
using value::Value;

namespace {

// A driver attaches a volume, or detaches one, within these times.
constexpr Duration kLeastAttachTime = Seconds(1);
constexpr Duration kMostAttachTime = Seconds(4);

std::string_view DriverOf(const api::Object& attachment) {
  return attachment.spec().Get("attacher").AsString();
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string AttacherFinalizer(std::string_view driver) {
  std::string name(driver);
  for (char& c : name)
    if (!IsLetter(c)) c = '-';
  if (name.ends_with('-')) name += 'X';
  return fmt::format("external-attacher/{}", name);
}

ExternalAttacher::ExternalAttacher(const ControllerContext& context)
    : context_(context),
      actor_(context_.process.PartActor(kAttacherPart)),
      attachments_kind_(context_.Resource("storage.k8s.io", "volumeattachments")),
      client_(context_.connection, actor_, ManagerClient(context_, "attachdetach-controller")),
      queue_(context_.process, client::DefaultControllerRateLimiter(context_.process)) {}

ExternalAttacher::~ExternalAttacher() = default;

void ExternalAttacher::Begin(client::SharedInformer& attachments, client::SharedInformer& volumes) {
  attachments_ = &attachments;
  volumes_ = &volumes;
  handlers_.add = [this](const api::Object& attachment, bool) { queue_.Add(attachment.key()); };
  handlers_.update = [this](const api::Object&, const api::Object& attachment) {
    queue_.Add(attachment.key());
  };
  attachments_->AddHandler(actor_, &handlers_);
}

void ExternalAttacher::Work() {
  loop_ =
      std::make_unique<client::ReconcileLoop>(context_.connection, kAttacherPart, queue_, *this);
  const std::vector<client::SharedInformer*> wait_for = {attachments_, volumes_};
  loop_->Start(kAttacherWorkers, wait_for);
}

sim::Task<client::ReconcileResult> ExternalAttacher::Reconcile(std::string key) {
  const api::Object attachment = attachments_->lister().Get("", key);
  if (attachment.empty()) co_return client::ReconcileResult::Done();
  const bool done = attachment.deleting()
                        ? !HasFinalizer(attachment, AttacherFinalizer(DriverOf(attachment)))
                        : attachment.status().Get("attached").AsBool();
  const std::set<std::string, std::less<>>& acted = attachment.deleting() ? detached_ : attached_;
  if (done || acted.contains(attachment.uid())) co_return client::ReconcileResult::Done();
  if (attachment.deleting()) co_return co_await Detach(attachment);
  co_return co_await Attach(attachment);
}

sim::Task<client::ReconcileResult> ExternalAttacher::Attach(api::Object attachment) {
  const std::string name(attachment.name());
  const std::string finalizer = AttacherFinalizer(DriverOf(attachment));
  // 1. The volume.
  const std::string_view volume =
      attachment.spec().Get("source").Get("persistentVolumeName").AsString();
  if (volumes_->lister().Get("", volume).empty())
    co_return client::ReconcileResult::Error(
        fmt::format("persistentvolume \"{}\" not found", volume));

  // 2. Nobody is to delete the attachment before the driver has detached.
  if (!HasFinalizer(attachment, finalizer)) {
    const Value kept = Obj(
        {{"metadata", Obj({{"finalizers",
                            WithFinalizer(attachment, finalizer).metadata().Get("finalizers")}})}});
    const client::PatchOptions options(api::PatchType::kMerge);
    client::Client::ObjectResult patched =
        co_await client_.Patch(attachments_kind_, "", name, kept, options);
    if (!patched.ok()) co_return client::ReconcileResult::Error(patched.status());
  }

  // 3. The driver attaches it.
  const Duration time = DrawTime("attacher", attachment);
  co_await context_.env().sim.Spend(time, sim::TimerKind::kWork, "a driver attaches a volume");
  const Value attached = Obj({{"status", Obj({{"attached", Value::Of(true)}})}});
  const client::PatchOptions options(api::PatchType::kMerge, "status");
  client::Client::ObjectResult patched =
      co_await client_.Patch(attachments_kind_, "", name, attached, options);
  if (!patched.ok()) co_return client::ReconcileResult::Error(patched.status());
  attached_.emplace(attachment.uid());
  co_return client::ReconcileResult::Done();
}

sim::Task<client::ReconcileResult> ExternalAttacher::Detach(api::Object attachment) {
  const std::string name(attachment.name());
  const Duration time = DrawTime("detacher", attachment);
  co_await context_.env().sim.Spend(time, sim::TimerKind::kWork, "a driver detaches a volume");
  const api::Object freed = WithoutFinalizer(attachment, AttacherFinalizer(DriverOf(attachment)));
  const Value& left = freed.metadata().Get("finalizers");
  const Value patch = Obj({{"metadata", Obj({{"finalizers", left.empty() ? Value() : left}})}});
  const client::PatchOptions options(api::PatchType::kMerge);
  client::Client::ObjectResult patched =
      co_await client_.Patch(attachments_kind_, "", name, patch, options);
  if (!patched.ok() && !api::IsNotFound(patched.status()))
    co_return client::ReconcileResult::Error(patched.status());
  detached_.emplace(attachment.uid());
  co_return client::ReconcileResult::Done();
}

Duration ExternalAttacher::DrawTime(std::string_view who, const api::Object& attachment) {
  sim::Decisions& decisions = context_.env().sim.decisions();
  const sim::SiteId site = decisions.Site(fmt::format("{}/{}", who, DriverOf(attachment)));
  const std::uint64_t identity =
      context_.env().IdentityOf("volumeattachments", "", attachment.name());
  return decisions.DrawDuration(site, identity, kLeastAttachTime, kMostAttachTime);
}

}  // namespace ksim::controllers
