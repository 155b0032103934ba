#include "ksim/controllers/garbagecollector/object_requests.h"

#include <fmt/format.h>

#include <optional>

#include "ksim/api/status.h"
#include "ksim/controllers/garbagecollector/owner_patches.h"
#include "ksim/sim/probe.h"

namespace ksim::controllers {

using value::Value;

namespace {

constexpr int kUnsupportedMediaType = 415;

std::string NoMapping(const ObjectIdentity& item) {
  return fmt::format("unable to get REST mapping for {}/{}.", item.api_version, item.kind);
}

// Objects of cluster scope have no namespace, whatever who refers to them has.
std::string NamespaceFor(const api::ResourceInfo& resource, const std::string& ns) {
  return resource.namespaced ? ns : std::string();
}

}  // namespace

Outcome Outcome::Of(const client::Client::ObjectResult& result) {
  return result.ok() ? Outcome() : Failed(result.status().message.str());
}

ObjectRequests::ObjectRequests(const ControllerContext& context, client::Client& client,
                               DiscoveredKinds& kinds, CacheOf cache_of)
    : env_(context.env()),
      client_(client),
      kinds_(kinds),
      cache_of_(std::move(cache_of)),
      profile_(controllers::ProfileOf(env_.compat)),
      jitter_(env_, fmt::format("retry/{}/{}", context.process.name(), context.name)) {}

bool ObjectRequests::LooksInWrongScope(const api::ResourceInfo& resource,
                                       const std::string& ns) const {
  if (env_.variants.gc_scope != api::Variants::OwnerScope::kChildNamespace) return false;
  if (resource.namespaced || ns.empty()) return false;
  KSIM_PROBE("variant/gc.scope");
  return true;
}

sim::Task<ObjectRequests::Answer> ObjectRequests::Get(ObjectIdentity item) {
  const api::ResourceInfo* const resource = kinds_.Find(item.api_version, item.kind);
  if (resource == nullptr) co_return Answer(Outcome::Failed(NoMapping(item)));
  // Only a cluster-scoped object can have led here by such a reference.
  if (resource->namespaced && item.ns.empty())
    co_return Answer(Outcome(Outcome::Kind::kOwnerOfWrongScope));
  if (LooksInWrongScope(*resource, item.ns)) co_return Answer(Outcome(Outcome::Kind::kNotThere));
  const ObjectResult got =
      co_await client_.Get(resource, NamespaceFor(*resource, item.ns), item.name);
  if (!got.ok()) {
    const bool gone = api::IsNotFound(got.status());
    co_return Answer(gone ? Outcome(Outcome::Kind::kNotThere) : Outcome::Of(got));
  }
  Answer answer;
  answer.object = *got;
  co_return answer;
}

sim::Task<client::Client::ObjectResult> ObjectRequests::GetOwner(const api::ResourceInfo* resource,
                                                                 std::string ns, std::string name) {
  return client_.Get(resource, NamespaceFor(*resource, ns), std::move(name));
}

// getMetadata: the cache's object is good enough for a patch that says which version it is for.
sim::Task<client::Client::ObjectResult> ObjectRequests::GetMetadata(ObjectIdentity item) {
  const api::ResourceInfo* const resource = kinds_.Find(item.api_version, item.kind);
  if (resource == nullptr) co_return api::Unmapped(500, NoMapping(item));
  const client::Lister* const cache = cache_of_(resource);
  if (cache != nullptr) {
    api::Object cached = cache->Get(item.ns, item.name);
    if (!cached.empty()) co_return cached;
  }
  co_return co_await client_.Get(resource, item.ns, item.name);
}

sim::Task<client::Client::ObjectResult> ObjectRequests::Patch(ObjectIdentity item, Value patch,
                                                              api::PatchType type) {
  const api::ResourceInfo* const resource = kinds_.Find(item.api_version, item.kind);
  if (resource == nullptr) co_return api::Unmapped(500, NoMapping(item));
  const client::PatchOptions options(type);
  co_return co_await client_.Patch(resource, NamespaceFor(*resource, item.ns), item.name,
                                   std::move(patch), options);
}

// --- deletion ------------------------------------------------------------------------------------

sim::Task<client::Client::ObjectResult> ObjectRequests::SendDelete(
    const api::ResourceInfo* resource, ObjectIdentity item, std::int64_t resource_version,
    std::string policy) {
  api::DeleteOptions options;
  options.uid = item.uid;
  if (resource_version != 0) options.resource_version = std::to_string(resource_version);
  options.propagation_policy = std::move(policy);
  return client_.Delete(resource, NamespaceFor(*resource, item.ns), item.name, std::move(options));
}

sim::Task<Outcome> ObjectRequests::Delete(ObjectIdentity item, api::Object latest,
                                          std::string policy) {
  const api::ResourceInfo* const resource = kinds_.Find(item.api_version, item.kind);
  if (resource == nullptr) co_return Outcome::Failed(NoMapping(item));
  if (!profile_.gc_deletes_at_version) {
    const ObjectResult deleted = co_await SendDelete(resource, item, 0, policy);
    co_return Outcome::Of(deleted);
  }
  ObjectResult deleted = co_await SendDelete(resource, item, latest.resource_version(), policy);
  if (!deleted.ok() && api::IsConflict(deleted.status())) {
    KSIM_PROBE("gc/delete-conflict");
    const ObjectResult live =
        co_await client_.Get(resource, NamespaceFor(*resource, item.ns), item.name);
    if (!live.ok() && api::IsNotFound(live.status())) co_return Outcome(Outcome::Kind::kNotThere);
    // Others may write the object all the time; while its owners stay the same that does not
    // matter.
    const bool same_owners = live.ok() && live->uid() == item.uid &&
                             live->resource_version() != latest.resource_version() &&
                             ReferencesOf(*live) == ReferencesOf(latest);
    if (same_owners) deleted = co_await SendDelete(resource, item, 0, policy);
  }
  if (!deleted.ok() && api::IsNotFound(deleted.status()))
    co_return Outcome(Outcome::Kind::kNotThere);
  co_return Outcome::Of(deleted);
}

// --- patches -------------------------------------------------------------------------------------

sim::Task<client::Client::ObjectResult> ObjectRequests::DropOwners(
    NodePtr node, std::vector<std::string> owner_uids) {
  Value patch = DeleteOwnersPatch(*node, owner_uids);
  ObjectResult patched =
      co_await Patch(node->identity, std::move(patch), api::PatchType::kStrategic);
  if (patched.ok() || patched.status().code != kUnsupportedMediaType) co_return patched;
  const ObjectResult known = co_await GetMetadata(node->identity);
  if (!known.ok()) co_return known;
  patch = DeleteOwnersMergePatch(*known, owner_uids);
  co_return co_await Patch(node->identity, std::move(patch), api::PatchType::kMerge);
}

sim::Task<client::Client::ObjectResult> ObjectRequests::UnblockOwners(NodePtr node) {
  Value patch = UnblockOwnersPatch(*node);
  ObjectResult patched =
      co_await Patch(node->identity, std::move(patch), api::PatchType::kStrategic);
  if (patched.ok() || patched.status().code != kUnsupportedMediaType) co_return patched;
  const ObjectResult known = co_await GetMetadata(node->identity);
  if (!known.ok()) co_return known;
  patch = UnblockOwnersMergePatch(*known, *node);
  co_return co_await Patch(node->identity, std::move(patch), api::PatchType::kMerge);
}

sim::Task<client::Client::ObjectResult> ObjectRequests::TryToRemoveFinalizer(
    ObjectIdentity item, std::string finalizer) {
  const Answer answer = co_await Get(item);
  if (answer.outcome.kind == Outcome::Kind::kNotThere) co_return api::Object();
  if (!answer.outcome.ok()) {
    co_return api::Unmapped(
        500, fmt::format("cannot finalize owner {}, because cannot get it: {}. The garbage "
                         "collector will retry later",
                         item.ToString(), answer.outcome.message));
  }
  const std::optional<Value> patch = RemoveFinalizerPatch(answer.object, finalizer);
  if (!patch) co_return api::Object();
  co_return co_await Patch(item, *patch, api::PatchType::kMerge);
}

sim::Task<Outcome> ObjectRequests::RemoveFinalizer(ObjectIdentity item, std::string finalizer) {
  const client::Backoff backoff = client::DefaultBackoff();
  auto attempt = [this, &item, &finalizer] { return TryToRemoveFinalizer(item, finalizer); };
  const ObjectResult removed =
      co_await client::RetryOnConflict<api::Object>(env_.sim, backoff, jitter_, attempt);
  if (!removed.ok() && api::IsConflict(removed.status())) {
    co_return Outcome::Failed(
        fmt::format("updateMaxRetries({}) has reached. The garbage collector will retry later for "
                    "owner {}",
                    backoff.steps, item.ToString()));
  }
  co_return Outcome::Of(removed);
}

}  // namespace ksim::controllers
