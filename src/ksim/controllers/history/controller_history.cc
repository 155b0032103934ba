#include "ksim/controllers/history/controller_history.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ksim/client/core/backoff.h"
#include "ksim/controllers/common/controller_ref.h"
#include "ksim/controllers/history/controller_revision.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

// ControllerRevisionControllerIndex.
constexpr const char* kRevisionOwnerIndex = "controllerRevisionController";

std::string RevisionOwnerKey(std::string_view ns, std::string_view kind, std::string_view name,
                             std::string_view uid) {
  return fmt::format("{}/{}/{}/{}", ns, kind, name, uid);
}

}  // namespace

void ControllerHistory::AddIndex() {
  if (revisions_.lister().HasIndex(kRevisionOwnerIndex)) return;
  revisions_.AddIndex(
      kRevisionOwnerIndex, [](const api::Object& revision, client::IndexValues& values) {
        const std::optional<api::OwnerReference> owner = revision.controller();
        values.Add(owner ? RevisionOwnerKey(revision.ns(), owner->kind, owner->name, owner->uid)
                         : std::string(revision.ns()));
      });
}

std::vector<api::Object> ControllerHistory::List(const api::Object& owner,
                                                 const value::LabelSelector& selector) const {
  std::vector<api::Object> listed;
  const std::string owned = RevisionOwnerKey(owner.ns(), owner.kind(), owner.name(), owner.uid());
  for (const std::string& key : {owned, std::string(owner.ns())}) {
    for (const api::Object& revision : revisions_.lister().ByIndex(kRevisionOwnerIndex, key))
      if (selector.Matches(revision.labels())) listed.push_back(revision);
  }
  return listed;
}

sim::Task<client::Client::ObjectResult> ControllerHistory::Create(api::Object owner,
                                                                  api::Object revision,
                                                                  std::int64_t* collisions) {
  static const Path kName{"metadata", "name"}, kNamespace{"metadata", "namespace"};
  const std::string ns(owner.ns());
  for (;;) {
    const std::string name =
        RevisionName(owner.name(), HashRevisionData(RevisionData(revision), *collisions));
    const api::Object named = api::Object::FromTree(
        revision.tree().Set(kNamespace, Value::String(ns)).Set(kName, Value::String(name)));
    client::Client::ObjectResult created = co_await client_.Create(revisions_.resource(), named);
    if (created.ok() || !api::IsAlreadyExists(created.status())) co_return created;
    if (skips_sync_) {
      ++*collisions;
      continue;
    }
    client::Client::ObjectResult existing = co_await client_.Get(revisions_.resource(), ns, name);
    if (!existing.ok()) co_return existing;
    if (RevisionData(*existing) == RevisionData(revision)) co_return existing;
    ++*collisions;
  }
}

sim::Task<client::Client::ObjectResult> ControllerHistory::SetNumber(api::Object revision,
                                                                     std::int64_t number) {
  if (RevisionNumber(revision) == number) co_return revision;
  const api::Object changed = api::Object::FromTree(
      revision.tree().Set("revision", Value::Int(number)), revision.resource_version());
  client::Client::ObjectResult updated = co_await client_.Update(revisions_.resource(), changed);
  if (updated.ok()) co_return changed;
  if (!api::IsConflict(updated.status())) co_return updated;
  // A typed client answers an error with an empty object, which is what upstream then goes on with.
  client::Environment& env = client_.connection().env();
  client::JitterSource jitter(env, fmt::format("retry/{}/{}", client_.connection().process().name(),
                                               revisions_.resource()->group_resource()));
  const Duration sleep = client::DefaultBackoff().Step(jitter);
  co_await env.sim.Sleep(sleep, sim::TimerKind::kWork, "retry on conflict");
  co_return api::Unmapped(500, "resource name may not be empty");
}

sim::Task<std::optional<api::Status>> ControllerHistory::Delete(api::Object revision) {
  const api::DeleteOptions options;
  client::Client::ObjectResult deleted = co_await client_.Delete(
      revisions_.resource(), std::string(revision.ns()), std::string(revision.name()), options);
  if (deleted.ok()) co_return std::nullopt;
  co_return deleted.status();
}

sim::Task<client::Client::ObjectResult> ControllerHistory::Adopt(api::Object owner,
                                                                 api::Object revision) {
  const std::optional<api::OwnerReference> held = revision.controller();
  if (held) {
    co_return api::Unmapped(
        500, fmt::format("attempt to adopt revision owned by {} {}", held->kind, held->name));
  }
  const Value patch = AdoptPatch(owner, revision);
  const client::PatchOptions options(api::PatchType::kStrategic);
  co_return co_await client_.Patch(revisions_.resource(), std::string(owner.ns()),
                                   std::string(revision.name()), patch, options);
}

sim::Task<std::optional<api::Status>> ControllerHistory::Release(api::Object owner,
                                                                 api::Object revision) {
  const Value patch = ReleasePatch(owner, revision);
  const client::PatchOptions options(api::PatchType::kStrategic);
  client::Client::ObjectResult released =
      co_await client_.Patch(revisions_.resource(), std::string(revision.ns()),
                             std::string(revision.name()), patch, options);
  if (released.ok() || api::IsNotFound(released.status()) || api::IsInvalid(released.status()))
    co_return std::nullopt;
  co_return released.status();
}

}  // namespace ksim::controllers
