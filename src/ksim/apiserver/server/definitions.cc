#include "ksim/apiserver/server/definitions.h"

#include <optional>
#include <utility>
#include <vector>

#include "ksim/api/kinds/apiextensions/approval.h"
#include "ksim/api/kinds/apiextensions/definition_status.h"
#include "ksim/base/hash.h"

namespace ksim::apiserver {

using value::Path;
using value::Value;

namespace {

constexpr Duration kInformerLag = Milliseconds(1);  // until a server's own informer has it
constexpr Duration kInstallingWithOthers = Seconds(5);
constexpr Duration kDrain = Seconds(1);  // tearDown: requests that still use the old definition
constexpr Duration kCleanupPoll = Seconds(5);
constexpr int kCleanupPolls = 12;  // a minute
constexpr Duration kReadyPoll = Milliseconds(100);
constexpr int kReadyPolls = 50;

const Path kMetadataName{"metadata", "name"};

std::string NameOfDefinition(const Value& crd) {
  return std::string(crd.Get(kMetadataName).AsString());
}

std::uint64_t HashOfServed(const Value& crd) {
  return Hasher()
      .Add(crd.Get("spec").Hash())
      .Add(crd.Get("status").Get("acceptedNames").Hash())
      .Digest();
}

}  // namespace

Definitions::Definitions(sim::Process& process, api::Kinds& kinds, Resources& resources,
                         LoopbackClient& server, DefinitionsInStore& store)
    : process_(process), kinds_(kinds), resources_(resources), server_(server), store_(store) {
  store_.servers.push_back(this);
}

Definitions::~Definitions() { std::erase(store_.servers, this); }

const api::ResourceInfo* Definitions::DefinitionKind() const {
  return kinds_.ByKind("apiextensions.k8s.io/v1", "CustomResourceDefinition");
}

sim::Task<void> Definitions::Resume() {
  if (store_.served.empty()) co_return;
  const api::Response all = co_await Ask(api::Verb::kList, DefinitionKind(), "", "");
  for (const api::Object& definition : all.items) Stored(definition);
}

void Definitions::Stored(const api::Object& definition) {
  const Value& tree = definition.tree();
  store_.served.try_emplace(std::string(definition.name()), 0);
  const bool served =
      api::IsConditionTrue(tree, "NamesAccepted") || api::IsConditionTrue(tree, "Established");
  if (served) {
    Serve(definition);
  } else if (store_.served[std::string(definition.name())] != 0) {
    Withdraw(definition);
  }
  Queue(std::string(definition.name()));
}

// The kind has the names that were accepted, and is told apart from what is served by its spec.
void Definitions::Serve(const api::Object& definition) {
  static const Path kNames{"spec", "names"};
  const Value& tree = definition.tree();
  const Value& names = tree.Get("status").Get("acceptedNames");
  const auto added = kinds_.AddFromCrd(tree.Set(kNames, names));
  static_cast<void>(added);  // validation has seen to the names
  std::uint64_t& served = store_.served[std::string(definition.name())];
  const std::uint64_t now = HashOfServed(tree);
  const std::uint64_t before = std::exchange(served, now);
  if (before != 0 && before != now)
    Change(tree.Get("spec").Get("group").AsString(), names.Get("plural").AsString());
}

// The kind is served no longer (crdHandler.ServeHTTP: neither accepted nor established).
void Definitions::Withdraw(const api::Object& definition) {
  const Value& spec = definition.tree().Get("spec");
  const std::string group(spec.Get("group").AsString());
  const std::string plural(spec.Get("names").Get("plural").AsString());
  kinds_.Withdraw(group, plural);
  store_.served[std::string(definition.name())] = 0;
  Change(group, plural);
}

void Definitions::Deleted(const api::Object& definition) {
  Withdraw(definition);
  // Its names are free again (requeueAllOtherGroupCRDs).
  for (const auto& [name, hash] : store_.served)
    if (hash == 0 && name != definition.name()) Queue(name);
}

void Definitions::Change(std::string_view group, std::string_view resource) {
  for (const api::ResourceInfo* r : kinds_.all()) {
    if (r->group != group || r->resource != resource) continue;
    for (DefinitionListener* const server : store_.servers) server->ForgetObjects(*r);
  }
}

void Definitions::ForgetObjects(const api::ResourceInfo& kind) {
  if (resources_.FindCacher(kind) != nullptr) process_.Spawn(Reinitialize(&kind));
}

// Watches end, and the cache is filled again.
sim::Task<void> Definitions::Reinitialize(const api::ResourceInfo* kind) {
  co_await process_.simulation().Sleep(kDrain, sim::TimerKind::kWork, "definition changed");
  if (Cacher* const cacher = resources_.FindCacher(*kind)) cacher->faults().Reinit();
}

void Definitions::Queue(std::string name) {
  if (!busy_.insert(name).second) {
    again_.insert(std::move(name));
    return;
  }
  process_.Spawn(Sync(std::move(name)));
}

sim::Task<void> Definitions::Sync(std::string name) {
  bool more = true;
  while (more) {
    again_.erase(name);
    co_await process_.simulation().Spend(kInformerLag, sim::TimerKind::kWork, "definition");
    more = co_await SyncOnce(name);
    more = more || again_.contains(name);
  }
  busy_.erase(name);
}

sim::Task<bool> Definitions::SyncOnce(std::string name) {
  const api::Response found = co_await Ask(api::Verb::kGet, DefinitionKind(), "", name);
  if (found.code >= 400) co_return false;
  const Value crd = found.object.ToTree();
  if (api::WaitsForCleanup(crd)) {
    const bool finalized = co_await Finalize(crd);
    co_return finalized;
  }
  if (crd.Get("spec").Get("names") != crd.Get("status").Get("acceptedNames")) {
    const bool named = co_await AcceptNames(crd);
    co_return named;
  }
  if (const std::optional<Value> judged = api::WithApproval(crd, process_.Now())) {
    co_await PutStatus(*judged);
    co_return true;
  }
  if (!api::WaitsForEstablishment(crd)) co_return false;
  const bool established = co_await Establish(crd);
  co_return established;
}

sim::Task<bool> Definitions::AcceptNames(Value crd) {
  const api::Response all = co_await Ask(api::Verb::kList, DefinitionKind(), "", "");
  std::vector<Value> others;
  for (const api::Object& other : all.items) others.push_back(other.tree());
  const std::optional<Value> named = api::WithNames(crd, others, process_.Now());
  if (!named) co_return false;
  co_await PutStatus(*named);
  co_return true;
}

// With several servers a definition is installed for 5 s, so that all of them serve it.
sim::Task<bool> Definitions::Establish(Value crd) {
  if (store_.server_count > 1) {
    co_await process_.simulation().Sleep(kInstallingWithOthers, sim::TimerKind::kWork,
                                         "definition installing");
    const api::Response found =
        co_await Ask(api::Verb::kGet, DefinitionKind(), "", NameOfDefinition(crd));
    if (found.code >= 400) co_return false;
    crd = found.object.ToTree();
    if (!api::WaitsForEstablishment(crd)) co_return true;
  }
  co_await PutStatus(api::Established(crd, process_.Now()));
  co_return true;
}

sim::Task<bool> Definitions::Finalize(Value crd) {
  const Value begun = api::WithCondition(crd,
                                         {"Terminating", "True", "InstanceDeletionInProgress",
                                          "CustomResource deletion is in progress"},
                                         process_.Now());
  const api::Response marked = co_await PutStatus(begun);
  if (marked.code >= 400) co_return marked.code == 409;
  Value next = marked.object.ToTree();
  if (api::IsConditionTrue(next, "Established")) {
    next = co_await DeleteInstances(next);
  } else {
    next = api::WithCondition(
        next, {"Terminating", "False", "NeverEstablished", "resource was never established"},
        process_.Now());
  }
  if (!api::IsConditionTrue(next, "Terminating")) {
    co_await PutStatus(api::WithoutCleanup(next));
    co_return false;
  }
  // Some objects are there still: a later try may find them gone.
  co_await PutStatus(next);
  co_return true;
}

sim::Task<Value> Definitions::DeleteInstances(Value crd) {
  const Value& spec = crd.Get("spec");
  const api::ResourceInfo* const kind =
      kinds_.ByResource(spec.Get("group").AsString(), spec.Get("names").Get("plural").AsString());
  const api::Response all = co_await ListAll(kind);
  std::set<std::string> namespaces;
  for (const api::Object& object : all.items) namespaces.emplace(object.ns());
  for (const std::string& ns : namespaces) co_await Ask(api::Verb::kDeleteCollection, kind, ns, "");
  for (int i = 0; i < kCleanupPolls; ++i) {
    const api::Response left = co_await ListAll(kind);
    if (left.code < 400 && left.items.empty())
      co_return api::WithCondition(
          crd, {"Terminating", "False", "InstanceDeletionCompleted", "removed all instances"},
          process_.Now());
    co_await process_.simulation().Sleep(kCleanupPoll, sim::TimerKind::kWork, "definition cleanup");
  }
  co_return api::WithCondition(
      crd,
      {"Terminating", "True", "InstanceDeletionCheck",
       "could not confirm zero CustomResources remaining: timed out waiting for the condition"},
      process_.Now());
}

// From 1.34 on a cache that is still being filled refuses a list; it is asked again.
sim::Task<api::Response> Definitions::ListAll(const api::ResourceInfo* kind) {
  api::Response all = co_await Ask(api::Verb::kList, kind, "", "");
  for (int i = 0; i < kReadyPolls && all.code == 429; ++i) {
    co_await process_.simulation().Sleep(kReadyPoll, sim::TimerKind::kWork, "definition cleanup");
    all = co_await Ask(api::Verb::kList, kind, "", "");
  }
  co_return all;
}

sim::Task<api::Response> Definitions::Ask(api::Verb verb, const api::ResourceInfo* resource,
                                          std::string_view ns, std::string_view name) {
  api::Request request;
  request.verb = verb;
  request.resource = resource;
  request.ns = ns;
  request.name = name;
  return server_.Do(std::move(request));
}

sim::Task<api::Response> Definitions::PutStatus(Value crd) {
  api::Request request;
  request.verb = api::Verb::kUpdate;
  request.resource = DefinitionKind();
  request.name = NameOfDefinition(crd);
  request.subresource = "status";
  request.body = std::move(crd);
  return server_.Do(std::move(request));
}

}  // namespace ksim::apiserver
