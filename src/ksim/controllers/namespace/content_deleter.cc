#include "ksim/controllers/namespace/content_deleter.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "ksim/api/pod.h"
#include "ksim/controllers/common/discovery.h"
#include "ksim/controllers/common/manager_client.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

namespace {

constexpr std::string_view kNamespaceFinalizer = "kubernetes";
// How long finalizers of what is left are given, if nothing else says so.
constexpr std::int64_t kFinalizerEstimate = 15;

const Path& SpecFinalizers() {
  static const Path path{"spec", "finalizers"};
  return path;
}

// The server answers so where it has no such method, or no such resource any more.
bool IsNotSupported(const api::Status& status) {
  return api::IsMethodNotSupported(status) || api::IsNotFound(status);
}

api::DeleteOptions InBackground() {
  api::DeleteOptions options;
  options.propagation_policy = "Background";
  return options;
}

}  // namespace

NamespaceDeleter::NamespaceDeleter(client::Client& client, const sim::Process& clock,
                                   const Profile& profile)
    : client_(client),
      clock_(clock),
      profile_(profile),
      namespaces_(client.connection().env().kinds.ByResource("", "namespaces")),
      pods_(client.connection().env().kinds.ByResource("", "pods")) {}

sim::Task<NamespaceDeleter::Outcome> NamespaceDeleter::Delete(std::string name) {
  Outcome outcome;
  const auto fail = [&outcome](const api::Status& status) {
    if (!api::IsNotFound(status)) outcome.error = status.message.str();
  };
  // 1. Look at the namespace as it is: the cache may be old, and others edit it too.
  client::Client::ObjectResult live = co_await client_.Get(namespaces_, "", name);
  if (!live.ok()) {
    fail(live.status());
    co_return outcome;
  }
  if (!live->deleting()) co_return outcome;

  // 2. Its phase must be Terminating.
  Written marked = co_await RetryOnConflict(*live, &NamespaceDeleter::MarkAsTerminating);
  if (!marked.ok()) {
    fail(marked.status());
    co_return outcome;
  }
  if (!marked->deleting()) co_return outcome;
  if (marked->Get(SpecFinalizers()).empty()) co_return outcome;

  // 3. Delete what is in it.
  outcome = co_await DeleteContent(*marked);
  if (!outcome.error.empty() || outcome.estimate > 0) co_return outcome;

  // 4. Nothing is left: take the finalizer away.
  Written finalized = co_await RetryOnConflict(*marked, &NamespaceDeleter::Finalize);
  if (!finalized.ok()) fail(finalized.status());
  co_return outcome;
}

sim::Task<NamespaceDeleter::Written> NamespaceDeleter::RetryOnConflict(api::Object ns,
                                                                       Write write) {
  for (;;) {
    Written written = co_await (this->*write)(ns);
    if (written.ok() || !api::IsConflict(written.status())) co_return written;
    const std::string uid(ns.uid());
    client::Client::ObjectResult latest =
        co_await client_.Get(namespaces_, "", std::string(ns.name()));
    if (!latest.ok()) co_return latest;
    if (latest->uid() != uid)
      co_return api::Unmapped(0, "namespace uid has changed across retries");
    ns = *latest;
  }
}

sim::Task<NamespaceDeleter::Written> NamespaceDeleter::MarkAsTerminating(api::Object ns) {
  static const Path kPhase{"status", "phase"};
  if (!ns.deleting() || ns.Get(kPhase).AsString() == "Terminating") co_return ns;
  const api::Object changed =
      api::Object::FromTree(ns.tree().Set(kPhase, Value::Of("Terminating")), ns.resource_version());
  co_return co_await client_.UpdateStatus(namespaces_, changed);
}

sim::Task<NamespaceDeleter::Written> NamespaceDeleter::Finalize(api::Object ns) {
  std::set<std::string> kept;
  for (const Value& finalizer : ns.Get(SpecFinalizers()).items())
    if (finalizer.AsString() != kNamespaceFinalizer) kept.emplace(finalizer.AsString());
  std::vector<Value> finalizers;
  for (const std::string& finalizer : kept) finalizers.push_back(Value::Of(finalizer));
  Value tree = ns.tree().Erase("status");
  tree = std::move(tree).Set(SpecFinalizers(), Value::Array(std::move(finalizers)));
  client::Client::ObjectResult written = co_await client_.Update(
      namespaces_, api::Object::FromTree(std::move(tree), ns.resource_version()), "finalize");
  // It was removed already.
  if (!written.ok() && api::IsNotFound(written.status())) co_return ns;
  co_return written;
}

// deleteAllContent. Upstream walks a map of the resources; here they come in the order of their
// groups and names.
sim::Task<NamespaceDeleter::Outcome> NamespaceDeleter::DeleteContent(api::Object ns) {
  Outcome outcome;
  std::vector<std::string> errors;
  NamespaceConditions conditions;
  RemainingContent remaining;
  const auto take = [&](const api::ResourceInfo& resource, const Emptied& emptied) {
    outcome.estimate = std::max(outcome.estimate, emptied.estimate);
    if (!emptied.error.empty()) conditions.AddContentError(emptied.error);
    if (emptied.remaining == 0) return;
    remaining.by_resource[fmt::format("{}.{}", resource.resource, resource.group)] =
        emptied.remaining;
    for (const auto& [finalizer, count] : emptied.finalizers)
      remaining.by_finalizer[finalizer] += count;
  };

  // OrderedNamespaceDeletion: while a pod is left, nothing else is touched, and what is left is not
  // told.
  if (profile_.ordered_namespace_deletion) {
    const Emptied pods = co_await Empty(pods_, ns);
    take(*pods_, pods);
    if (!pods.error.empty())
      errors.push_back(
          fmt::format("failed to delete pods for namespace: {}, err: {}", ns.name(), pods.error));
    if (pods.remaining > 0) {
      co_await WriteConditions(ns, &conditions);
      outcome.error = AggregateErrors(errors);
      co_return outcome;
    }
  }
  const client::Environment& env = client_.connection().env();
  for (const api::ResourceInfo* resource : PreferredNamespacedResources(env.kinds, env.compat)) {
    if (profile_.ordered_namespace_deletion && resource == pods_) continue;
    const Emptied emptied = co_await Empty(resource, ns);
    take(*resource, emptied);
    if (!emptied.error.empty()) errors.push_back(emptied.error);
  }
  conditions.SetRemaining(remaining);
  co_await WriteConditions(ns, &conditions);
  outcome.error = AggregateErrors(errors);
  co_return outcome;
}

// An error is not returned: the next attempt writes them again.
sim::Task<void> NamespaceDeleter::WriteConditions(api::Object ns,
                                                  const NamespaceConditions* conditions) {
  static const Path kConditions{"status", "conditions"};
  const Value& before = ns.Get(kConditions);
  const Value after = conditions->ApplyTo(before, clock_.Now());
  if (after == before) co_return;
  co_await client_.UpdateStatus(
      namespaces_, api::Object::FromTree(ns.tree().Set(kConditions, after), ns.resource_version()));
}

// deleteAllContentForGroupVersionResource.
sim::Task<NamespaceDeleter::Emptied> NamespaceDeleter::Empty(const api::ResourceInfo* resource,
                                                             api::Object ns) {
  Emptied out;
  const std::string name(ns.name());
  if (resource == pods_) {
    const api::Result<std::int64_t> estimate = co_await EstimatePods(ns);
    if (!estimate.ok()) {
      out.error = estimate.status().message.str();
      co_return out;
    }
    out.estimate = *estimate;
  }
  const api::Result<bool> deleted = co_await DeleteCollection(resource, name);
  api::Status failed = deleted.status();
  if (deleted.ok() && !*deleted) failed = co_await DeleteEach(resource, name);
  if (!failed.ok()) {
    out.error = failed.message.str();
    co_return out;
  }

  const api::Result<std::optional<client::ListResult>> left = co_await List(resource, name);
  if (!left.ok()) {
    out.error = left.status().message.str();
    co_return out;
  }
  if (!left->has_value()) co_return out;
  const std::vector<api::Object>& items = (*left)->items;
  if (items.empty()) {
    out.estimate = 0;
    co_return out;
  }
  out.remaining = static_cast<std::int64_t>(items.size());
  for (const api::Object& item : items)
    for (const std::string& finalizer : item.finalizers()) ++out.finalizers[finalizer];
  if (out.estimate != 0) co_return out;
  if (!out.finalizers.empty()) {
    out.estimate = kFinalizerEstimate;
    co_return out;
  }
  out.error = fmt::format("unexpected items still remain in namespace: {} for gvr: {}", name,
                          GroupVersionResourceText(*resource));
  co_return out;
}

sim::Task<api::Result<std::int64_t>> NamespaceDeleter::EstimatePods(api::Object ns) {
  api::Result<client::ListResult> pods =
      co_await client_.List(pods_, std::string(ns.name()), api::ListOptions());
  if (!pods.ok()) co_return pods.status();
  std::int64_t estimate = 0;
  for (const api::Object& object : pods->items) {
    const api::PodView pod(object);
    if (pod.terminal()) continue;
    estimate = std::max(estimate, pod.termination_grace_period_seconds().value_or(0));
  }
  const Duration since = clock_.Now() - ns.deletion_time().value_or(clock_.Now());
  if (since >= Seconds(estimate)) estimate = 0;
  co_return estimate;
}

sim::Task<api::Result<bool>> NamespaceDeleter::DeleteCollection(const api::ResourceInfo* resource,
                                                                std::string ns) {
  api::Request request;
  request.verb = api::Verb::kDeleteCollection;
  request.resource = resource;
  request.ns = std::move(ns);
  request.del = InBackground();
  const api::Response response = co_await client_.Do(std::move(request));
  if (response.code != 0 && response.code < 400) co_return true;
  if (IsNotSupported(response.status)) co_return false;
  co_return response.status;
}

sim::Task<api::Status> NamespaceDeleter::DeleteEach(const api::ResourceInfo* resource,
                                                    std::string ns) {
  const api::Result<std::optional<client::ListResult>> found = co_await List(resource, ns);
  if (!found.ok()) co_return found.status();
  if (!found->has_value()) co_return api::Status();
  for (const api::Object& item : (*found)->items) {
    client::Client::ObjectResult deleted =
        co_await client_.Delete(resource, ns, std::string(item.name()), InBackground());
    if (!deleted.ok() && !IsNotSupported(deleted.status())) co_return deleted.status();
  }
  co_return api::Status();
}

sim::Task<api::Result<std::optional<client::ListResult>>> NamespaceDeleter::List(
    const api::ResourceInfo* resource, std::string ns) {
  api::Result<client::ListResult> found =
      co_await client_.List(resource, std::move(ns), api::ListOptions());
  if (found.ok()) co_return std::optional<client::ListResult>(*std::move(found));
  if (IsNotSupported(found.status())) co_return std::optional<client::ListResult>();
  co_return found.status();
}

}  // namespace ksim::controllers
