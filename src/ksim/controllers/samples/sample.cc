#include "ksim/controllers/samples/sample.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/pod.h"
#include "ksim/api/replicaset.h"
#include "ksim/controllers/common/pod_control.h"
#include "ksim/controllers/samples/samples.h"

namespace ksim::controllers {

using value::Path;
using value::Value;

Sample::Sample(ControllerContext context)
    : context_(std::move(context)),
      sets_(context_.Resource("apps", "replicasets")),
      pods_(context_.Resource("", "pods")),
      maps_(context_.Resource("", "configmaps")),
      client_(context_.connection, context_.actor(), client::ClientOptions()) {}

client::ControllerBuilder Sample::Builder() {
  return client::ControllerBuilder(context_.connection, context_.informers, context_.name);
}

api::Object Sample::Cached(const api::ResourceInfo* r, const std::string& key) {
  const absl::StatusOr<client::ObjectKey> id = client::SplitKey(key);
  return id.ok() ? Cache(r).Get(id->ns, id->name) : api::Object();
}

void Sample::Listen(const api::ResourceInfo* r, client::ResourceEventHandler* handler) {
  Informer(r).AddHandler(context_.actor(), handler);
}

void Sample::ListenBeside(const api::ResourceInfo* r, client::ResourceEventHandler* handler) {
  Informer(r).AddHandler(context_.process.PartActor("handlers"), handler);
}

sim::Task<client::ReconcileResult> Sample::Publish(std::string ns, std::string name, Value data) {
  const Value map = value::Obj(
      {{"apiVersion", Value::Of("v1")},
       {"kind", Value::Of("ConfigMap")},
       {"metadata", value::Obj({{"name", Value::Of(name)}, {"namespace", Value::Of(ns)}})},
       {"data", data}});
  const auto made = co_await client_.Create(maps_, api::Object::FromTree(map));
  if (made.ok()) co_return Result::Done();
  if (!api::IsAlreadyExists(made.status())) co_return Result::Error(made.status());
  const client::PatchOptions merge(api::PatchType::kMerge);
  const Value change = value::Obj({{"data", data}});
  const auto changed = co_await client_.Patch(maps_, ns, name, change, merge);
  if (!changed.ok()) co_return Result::Error(changed.status());
  co_return Result::Done();
}

void Keeper::Start() { controller_ = Builder().For(sets_).Owns(pods_).Build(*this); }

sim::Task<client::ReconcileResult> Keeper::Reconcile(std::string key) {
  const Result result = co_await Keep(key);
  co_return result;
}

sim::Task<client::ReconcileResult> Keeper::Keep(std::string key) {
  const api::Object set = Cached(sets_, key);
  if (set.empty() || !Serves(set)) co_return Result::Done();
  const std::int64_t replicas = api::ReplicaSetView(set).replicas();
  std::vector<std::string> wanted;
  for (std::int64_t i = 0; i < replicas; ++i) wanted.push_back(NameOf(set, i));
  for (const std::string& name : wanted) {
    if (!Cache(pods_).Get(set.ns(), name).empty()) continue;
    const api::Object pod = PodNamed(set, name);
    const auto made = co_await client_.Create(pods_, pod);
    // It may be there already, and the cache behind.
    if (!made.ok() && !api::IsAlreadyExists(made.status())) co_return Result::Error(made.status());
  }
  for (const api::Object& pod : PodsOf(set)) {
    if (std::find(wanted.begin(), wanted.end(), pod.name()) != wanted.end()) continue;
    const Result deleted = co_await Delete(pod);
    if (!deleted.ok()) co_return deleted;
  }
  const Result said = co_await SayStatus(set);
  co_return said;
}

sim::Task<client::ReconcileResult> Keeper::SayStatus(api::Object set) {
  const api::ReplicaSetView view(set);
  const auto count = static_cast<std::int64_t>(PodsOf(set).size());
  if (view.status_replicas() == count && view.observed_generation() == set.generation())
    co_return Result::Done();
  const Value status = set.status()
                           .Set("replicas", Value::Of(count))
                           .Set("observedGeneration", Value::Of(set.generation()));
  const api::Object next =
      api::Object::FromTree(set.tree().Set(Path{"status"}, status), set.resource_version());
  const auto written = co_await client_.UpdateStatus(sets_, next);
  if (!written.ok()) co_return Result::Error(written.status());
  co_return Result::Done();
}

sim::Task<client::ReconcileResult> Keeper::Delete(api::Object pod) {
  api::DeleteOptions options;
  options.uid = std::string(pod.uid());  // this one, and none that came after it
  const auto gone =
      co_await client_.Delete(pods_, std::string(pod.ns()), std::string(pod.name()), options);
  const bool over = gone.ok() || api::IsNotFound(gone.status()) || api::IsConflict(gone.status());
  if (!over) co_return Result::Error(gone.status());
  co_return Result::Done();
}

std::vector<api::Object> Keeper::PodsOf(const api::Object& set) {
  std::vector<api::Object> out;
  for (const api::Object& pod : Cache(pods_).List(set.ns())) {
    const auto owner = pod.controller();
    if (owner && owner->uid == set.uid() && api::PodView(pod).active()) out.push_back(pod);
  }
  return out;
}

std::string Keeper::NameOf(const api::Object& set, std::int64_t ordinal) {
  return fmt::format("{}-{}", set.name(), ordinal);
}

api::Object Keeper::PodNamed(const api::Object& set, const std::string& name) {
  return api::Object::FromTree(
      PodWithAGeneratedName(set).tree().Set(Path{"metadata", "name"}, Value::Of(name)));
}

api::Object Keeper::PodWithAGeneratedName(const api::Object& set) {
  const api::Result<Value> pod = PodFromTemplate(api::ReplicaSetView(set).pod_template(), set);
  return api::Object::FromTree(pod->Set(Path{"metadata", "namespace"}, Value::String(set.ns())));
}

ControllerRows KeeperSamples() {
  return {{.name = "right-keeper",
           .text = "Keeps the pods of ReplicaSets by fixed names, whatever happens.",
           .make = &MakeController<Keeper>,
           .part = "replicaset",
           .second_part = "handlers"}};
}

}  // namespace ksim::controllers
