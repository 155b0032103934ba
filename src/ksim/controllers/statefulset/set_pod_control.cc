#include "ksim/controllers/statefulset/set_pod_control.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "ksim/client/core/backoff.h"
#include "ksim/controllers/common/manager_client.h"
#include "ksim/controllers/statefulset/claim_ownership.h"
#include "ksim/controllers/statefulset/pod_identity.h"

namespace ksim::controllers {

using value::Value;

namespace {

api::Status Prefixed(const api::Status& status, std::string_view prefix) {
  api::Status error = status;
  error.message = fmt::format("{}{}", prefix, status.message);
  return error;
}

// cases.Title.
std::string Capitalized(std::string_view verb) {
  std::string word(verb);
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

}  // namespace

SetPodControl::SetPodControl(client::Client& client, client::EventRecorder& recorder,
                             client::SharedInformer& pods, client::SharedInformer& claims,
                             ConsistencyStore& consistency, const Profile& profile)
    : client_(client),
      recorder_(recorder),
      pods_(pods),
      claims_(claims),
      consistency_(consistency),
      profile_(profile) {}

sim::Task<SetPodControl::Error> SetPodControl::Create(api::Object set, api::Object pod) {
  Error claims = co_await CreateClaims(set, pod);
  if (claims) {
    RecordPod("create", set, pod, claims);
    co_return claims;
  }
  client::Client::ObjectResult created = co_await client_.Create(pods_.resource(), pod);
  Error error;
  if (created.ok()) {
    Wrote(set, pods_, *created);
  } else {
    error = created.status();
    if (api::IsAlreadyExists(*error)) co_return error;
  }
  if (profile_.set_claim_retention) {
    Error owners = co_await UpdateClaimOwners(set, pod);
    if (owners) {
      RecordPod("update", set, pod, owners);
      co_return owners;
    }
  }
  RecordPod("create", set, pod, error);
  co_return error;
}

sim::Task<SetPodControl::Error> SetPodControl::Update(api::Object set, api::Object pod) {
  client::Environment& env = client_.connection().env();
  client::JitterSource jitter(env, fmt::format("retry/{}/{}", client_.connection().process().name(),
                                               pods_.resource()->group_resource()));
  client::ExponentialPoll poll(client::DefaultBackoff(), jitter);
  bool attempted = false;
  Error error;
  for (;;) {
    bool sent = false;
    error = co_await UpdateOnce(set, pod, &sent);
    attempted = attempted || sent;
    if (!error || !api::IsConflict(*error)) break;
    const std::optional<Duration> sleep = poll.NextSleep();
    if (!sleep) break;
    if (sent) {
      const api::Object cached = pods_.lister().Get(set.ns(), pod.name());
      if (!cached.empty()) pod = cached;
    }
    co_await env.sim.Sleep(*sleep, sim::TimerKind::kWork, "retry on conflict");
    if (!poll.TriesLeft()) break;
  }
  if (attempted) RecordPod("update", set, pod, error);
  co_return error;
}

sim::Task<SetPodControl::Error> SetPodControl::UpdateOnce(api::Object set, api::Object pod,
                                                          bool* sent) {
  bool consistent = true;
  Value tree = pod.tree();
  if (!IdentityMatches(set, pod)) {
    tree = WithIdentity(std::move(tree), set, profile_);
    consistent = false;
  }
  if (!StorageMatches(set, pod)) {
    tree = WithStorage(std::move(tree), set);
    consistent = false;
    Error claims = co_await CreateClaims(set, pod);
    if (claims) {
      RecordPod("update", set, pod, claims);
      co_return claims;
    }
  }
  if (profile_.set_claim_retention && !ClaimsMatchPolicy(set, pod)) {
    Error owners = co_await UpdateClaimOwners(set, pod);
    if (owners) {
      RecordPod("update", set, pod, owners);
      co_return owners;
    }
    consistent = false;
  }
  if (consistent) co_return std::nullopt;

  *sent = true;
  const api::Object changed = api::Object::FromTree(tree, pod.resource_version());
  client::Client::ObjectResult updated = co_await client_.Update(pods_.resource(), changed);
  if (!updated.ok()) co_return updated.status();
  Wrote(set, pods_, *updated);
  co_return std::nullopt;
}

sim::Task<SetPodControl::Error> SetPodControl::Delete(api::Object set, api::Object pod) {
  const api::DeleteOptions options;
  client::Client::ObjectResult deleted = co_await client_.Delete(
      pods_.resource(), std::string(pod.ns()), std::string(pod.name()), options);
  Error error;
  if (!deleted.ok()) error = deleted.status();
  if (error && profile_.set_delete_of_gone_succeeds && api::IsNotFound(*error)) error.reset();
  RecordPod("delete", set, pod, error);
  co_return error;
}

sim::Task<SetPodControl::Error> SetPodControl::CreateMissingClaims(api::Object set,
                                                                   api::Object pod) {
  Error claims = co_await CreateClaims(set, pod);
  if (claims) co_return claims;
  if (!profile_.set_claim_retention) co_return std::nullopt;
  Error owners = co_await UpdateClaimOwners(set, pod);
  if (owners) RecordPod("update", set, pod, owners);
  co_return owners;
}

std::vector<api::Object> SetPodControl::CachedClaims(const api::Object& set,
                                                     const api::Object& pod) const {
  std::vector<api::Object> cached;
  const std::int64_t ordinal = OrdinalOf(pod);
  for (const Value& claim : set.spec().Get("volumeClaimTemplates").items()) {
    api::Object found = claims_.lister().Get(set.ns(), SetClaimName(set, claim, ordinal));
    if (!found.empty()) cached.push_back(std::move(found));
  }
  return cached;
}

bool SetPodControl::ClaimsMatchPolicy(const api::Object& set, const api::Object& pod) const {
  for (const api::Object& claim : CachedClaims(set, pod))
    if (!ClaimOwnersUpToDate(OwnedClaim(claim, set, pod), profile_)) return false;
  return true;
}

sim::Task<SetPodControl::Error> SetPodControl::UpdateClaimOwners(api::Object set, api::Object pod) {
  const std::vector<api::Object> cached = CachedClaims(set, pod);
  for (const api::Object& claim : cached) {
    const OwnedClaim of(claim, set, pod);
    if (HasUnexpectedController(of)) {
      recorder_.Event(set, "Warning", "ConflictingController",
                      fmt::format("PersistentVolumeClaim {} has a conflicting OwnerReference that "
                                  "acts as a manging controller, the retention policy is ignored "
                                  "for this claim",
                                  claim.name()));
    }
    if (ClaimOwnersUpToDate(of, profile_)) continue;
    const api::Object changed = WithClaimOwners(of, profile_);
    client::Client::ObjectResult updated = co_await client_.Update(claims_.resource(), changed);
    if (!updated.ok()) {
      co_return Prefixed(
          updated.status(),
          fmt::format("could not update claim {} for delete policy ownerRefs: ", claim.name()));
    }
    Wrote(set, claims_, *updated);
  }
  co_return std::nullopt;
}

bool SetPodControl::ClaimIsStale(const api::Object& set, const api::Object& pod) const {
  if (!DeletesClaimsWhenScaled(set)) return false;
  for (const api::Object& claim : CachedClaims(set, pod))
    if (HasStalePodReference(OwnedClaim(claim, set, pod))) return true;
  return false;
}

sim::Task<SetPodControl::Error> SetPodControl::CreateClaims(api::Object set, api::Object pod) {
  const std::vector<api::Object> claims = ClaimsOf(set, pod);
  std::vector<std::string> errors;
  for (const api::Object& claim : claims) {
    const api::Object cached = claims_.lister().Get(claim.ns(), claim.name());
    if (!cached.empty()) {
      if (cached.deleting()) errors.push_back(fmt::format("pvc {} is being deleted", claim.name()));
      continue;
    }
    client::Client::ObjectResult created = co_await client_.Create(claims_.resource(), claim);
    if (created.ok()) {
      Wrote(set, claims_, *created);
      RecordClaim(set, pod, claim, std::nullopt);
      continue;
    }
    errors.push_back(
        fmt::format("failed to create PVC {}: {}", claim.name(), created.status().message));
    if (!api::IsAlreadyExists(created.status())) RecordClaim(set, pod, claim, created.status());
  }
  if (errors.empty()) co_return std::nullopt;
  co_return api::Unmapped(500, AggregateErrors(errors));
}

void SetPodControl::Wrote(const api::Object& set, const client::SharedInformer& informer,
                          const api::Object& written) {
  consistency_.WroteAt(set.key(), set.uid(), informer.resource()->group_resource(),
                       written.resource_version());
}

void SetPodControl::RecordRecreation(const api::Object& set, const api::Object& pod) {
  recorder_.Event(set, "Warning", "RecreatingFailedPod",
                  fmt::format("StatefulSet {}/{} is recreating failed Pod {}", set.ns(), set.name(),
                              pod.name()));
}

void SetPodControl::RecordPod(std::string_view verb, const api::Object& set, const api::Object& pod,
                              const Error& error) {
  const std::string title = Capitalized(verb);
  const std::string word = profile_.capitalizes_set_events ? title : std::string(verb);
  if (!error) {
    recorder_.Event(
        set, "Normal", fmt::format("Successful{}", title),
        fmt::format("{} Pod {} in StatefulSet {} successful", word, pod.name(), set.name()));
    return;
  }
  recorder_.Event(set, "Warning", fmt::format("Failed{}", title),
                  fmt::format("{} Pod {} in StatefulSet {} failed error: {}", word, pod.name(),
                              set.name(), error->message));
}

void SetPodControl::RecordClaim(const api::Object& set, const api::Object& pod,
                                const api::Object& claim, const Error& error) {
  const char* word = profile_.capitalizes_set_events ? "Create" : "create";
  if (!error) {
    recorder_.Event(set, "Normal", "SuccessfulCreate",
                    fmt::format("{} Claim {} Pod {} in StatefulSet {} success", word, claim.name(),
                                pod.name(), set.name()));
    return;
  }
  recorder_.Event(set, "Warning", "FailedCreate",
                  fmt::format("{} Claim {} for Pod {} in StatefulSet {} failed error: {}", word,
                              claim.name(), pod.name(), set.name(), error->message));
}

}  // namespace ksim::controllers
