#include "ksim/client/controller_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/client/core/profile.h"
#include "ksim/client/priority_queue.h"
#include "ksim/sim/probe.h"

namespace ksim::client {
namespace {

constexpr Duration kCacheSyncTimeout = Minutes(2);  // pkg/controller NewTypedUnmanaged

// One watched resource: who is told, and where it leads.
struct Source {
  Source() = default;
  const api::ResourceInfo* resource = nullptr;
  MapFunc map;
  std::vector<Predicate> predicates;
};

bool Agree(const std::vector<Predicate>& predicates, const ObjectEvent& event) {
  return std::all_of(predicates.begin(), predicates.end(),
                     [&](const Predicate& p) { return p(event); });
}

// event_handler.go: from the informer's calls to keys.
class SourceHandler : public ResourceEventHandler {
 public:
  SourceHandler(Source source, RequestQueue& queue) : source_(std::move(source)), queue_(queue) {}

  void OnAdd(const api::Object& object, bool is_in_initial_list) override {
    ObjectEvent event;
    event.object = object;
    event.initial = is_in_initial_list;
    Take(event);
  }
  void OnUpdate(const api::Object& old_object, const api::Object& new_object) override {
    ObjectEvent event;
    event.kind = ObjectEvent::Kind::kUpdate;
    event.old_object = old_object;
    event.object = new_object;
    Take(event);
  }
  void OnDelete(const Deleted& deleted) override {
    if (deleted.object.empty()) {
      KSIM_PROBE("controller/tombstone-without-object");
      return;
    }
    ObjectEvent event;
    event.kind = ObjectEvent::Kind::kDelete;
    event.object = deleted.object;
    event.delete_state_unknown = deleted.tombstone;
    Take(event);
  }

 private:
  // Objects of the initial list, and updates that change nothing, can wait: addToQueueCreate,
  // addToQueueUpdate.
  static int PriorityOf(const ObjectEvent& event) {
    const bool same = event.kind == ObjectEvent::Kind::kUpdate &&
                      event.old_object.resource_version() == event.object.resource_version();
    const bool initial = event.kind == ObjectEvent::Kind::kCreate && event.initial;
    return same || initial ? PriorityQueue::kLowPriority : 0;
  }

  // The queue keeps one of equal keys.
  void Take(const ObjectEvent& event) {
    if (!Agree(source_.predicates, event)) return;
    const int priority = PriorityOf(event);
    if (!event.old_object.empty())
      for (const std::string& key : source_.map(event.old_object)) queue_.Add(key, priority);
    for (const std::string& key : source_.map(event.object)) queue_.Add(key, priority);
  }

  Source source_;
  RequestQueue& queue_;
};

// A panic in Reconcile is an error where controller-runtime recovers by default (since 0.19);
// before that it ends the process.
class Guarded : public Reconciler {
 public:
  Guarded(Reconciler& inner, bool recovers) : inner_(inner), recovers_(recovers) {}
  sim::Task<ReconcileResult> Reconcile(std::string key) override {
    ReconcileResult result;
    try {
      result = co_await inner_.Reconcile(std::move(key));
    } catch (const std::exception& panic) {
      if (!recovers_) throw;
      result = ReconcileResult::Error(fmt::format("panic: {} [recovered]", panic.what()));
    }
    co_return result;
  }

 private:
  Reconciler& inner_;
  bool recovers_;
};

class Built : public BuiltController {
 public:
  Built(Connection& connection, const std::string& part, std::unique_ptr<RequestQueue> queue,
        Reconciler& reconciler)
      : queue_(std::move(queue)),
        guarded_(reconciler, ProfileOf(connection.compat()).recovers_panics),
        loop_(connection, part, *queue_, guarded_) {}

  void Start(Connection& connection, InformerFactory& informers, const std::string& part,
             const std::vector<Source>& sources, int workers, Duration sync_timeout) {
    const sim::ActorId actor = connection.process().PartActor(part);
    std::vector<SharedInformer*> all;
    for (const Source& source : sources) {
      SharedInformer& informer = informers.For(source.resource);
      handlers_.push_back(std::make_unique<SourceHandler>(source, *queue_));
      informer.AddHandler(actor, handlers_.back().get());
      all.push_back(&informer);
    }
    loop_.Start(workers, std::move(all), sync_timeout);
  }
  RequestQueue& queue() override { return *queue_; }

 private:
  std::unique_ptr<RequestQueue> queue_;
  Guarded guarded_;
  ReconcileLoop loop_;
  std::vector<std::unique_ptr<SourceHandler>> handlers_;
};

Predicate OfUpdates(std::function<bool(const api::Object&, const api::Object&)> changed) {
  return [changed = std::move(changed)](const ObjectEvent& e) {
    return e.kind != ObjectEvent::Kind::kUpdate || changed(e.old_object, e.object);
  };
}

}  // namespace

Predicate GenerationChanged() {
  return OfUpdates(
      [](const api::Object& a, const api::Object& b) { return a.generation() != b.generation(); });
}

Predicate ResourceVersionChanged() {
  return OfUpdates([](const api::Object& a, const api::Object& b) {
    return a.resource_version() != b.resource_version();
  });
}

Predicate LabelChanged() {
  return OfUpdates(
      [](const api::Object& a, const api::Object& b) { return a.labels() != b.labels(); });
}

Predicate AnnotationChanged() {
  return OfUpdates([](const api::Object& a, const api::Object& b) {
    return a.annotations() != b.annotations();
  });
}

Predicate AllOf(std::vector<Predicate> predicates) {
  return
      [predicates = std::move(predicates)](const ObjectEvent& e) { return Agree(predicates, e); };
}

Predicate AnyOf(std::vector<Predicate> predicates) {
  return [predicates = std::move(predicates)](const ObjectEvent& e) {
    return std::any_of(predicates.begin(), predicates.end(),
                       [&](const Predicate& p) { return p(e); });
  };
}

Predicate Not(Predicate predicate) {
  return [predicate = std::move(predicate)](const ObjectEvent& e) { return !predicate(e); };
}

std::vector<std::string> KeysOfOwners(const api::Object& object, const api::ResourceInfo& owner,
                                      bool controller_only) {
  std::vector<std::string> keys;
  for (const api::OwnerReference& ref : object.owners()) {
    if (controller_only && !ref.controller) continue;
    if (ref.kind != owner.kind || api::GroupOf(ref.api_version) != owner.group) continue;
    std::string key = owner.namespaced ? std::string(object.ns()) + "/" : std::string();
    keys.push_back(std::move(key) + ref.name);
  }
  return keys;
}

struct ControllerBuilder::Impl {
  Impl(Connection& c, InformerFactory& i, std::string p)
      : connection(c), informers(i), part(std::move(p)) {}
  // The owner is known when all is said.
  struct Owned {
    Source source;
    bool controller_only = true;
  };
  Connection& connection;
  InformerFactory& informers;
  std::string part;
  const api::ResourceInfo* reconciled = nullptr;
  std::vector<Source> sources;  // For first
  std::vector<Owned> owned;
  std::vector<Source> watched;
  std::vector<Predicate> everywhere;
  std::unique_ptr<RequestQueue> MakeQueue();
  std::unique_ptr<RateLimiter> limiter;
  std::optional<bool> priority_queue;
  int workers = 1;
  Duration sync_timeout = kCacheSyncTimeout;
  bool built = false;
};

std::unique_ptr<RequestQueue> ControllerBuilder::Impl::MakeQueue() {
  sim::Process& process = connection.process();
  if (priority_queue.value_or(ProfileOf(connection.compat()).priority_queue))
    return std::make_unique<PriorityQueue>(
        process, limiter != nullptr ? std::move(limiter) : PriorityQueueRateLimiter());
  return std::make_unique<WorkQueue>(
      process, limiter != nullptr ? std::move(limiter) : DefaultControllerRateLimiter(process));
}

ControllerBuilder::ControllerBuilder(Connection& connection, InformerFactory& informers,
                                     std::string part)
    : impl_(std::make_unique<Impl>(connection, informers, std::move(part))) {}
ControllerBuilder::~ControllerBuilder() = default;

namespace {

void CheckThereIs(const api::ResourceInfo* resource, const std::string& part) {
  KSIM_CHECK(resource != nullptr)
      << part << ": there is no such resource; is it misspelt, or not in this version?";
}

}  // namespace

ControllerBuilder& ControllerBuilder::For(const api::ResourceInfo* resource,
                                          std::vector<Predicate> predicates) {
  KSIM_CHECK(impl_->reconciled == nullptr) << impl_->part << ": For may be called once only";
  CheckThereIs(resource, impl_->part);
  impl_->reconciled = resource;
  Source source;
  source.resource = resource;
  source.map = [](const api::Object& o) { return std::vector<std::string>{o.key()}; };
  source.predicates = std::move(predicates);
  impl_->sources.push_back(std::move(source));
  return *this;
}

ControllerBuilder& ControllerBuilder::Owns(const api::ResourceInfo* resource,
                                           std::vector<Predicate> predicates,
                                           bool controller_only) {
  CheckThereIs(resource, impl_->part);
  Impl::Owned owned;
  owned.source.resource = resource;
  owned.source.predicates = std::move(predicates);
  owned.controller_only = controller_only;
  impl_->owned.push_back(std::move(owned));
  return *this;
}

ControllerBuilder& ControllerBuilder::Watches(const api::ResourceInfo* resource, MapFunc map,
                                              std::vector<Predicate> predicates) {
  CheckThereIs(resource, impl_->part);
  Source source;
  source.resource = resource;
  source.map = std::move(map);
  source.predicates = std::move(predicates);
  impl_->watched.push_back(std::move(source));
  return *this;
}

ControllerBuilder& ControllerBuilder::WithPredicates(std::vector<Predicate> predicates) {
  for (Predicate& p : predicates) impl_->everywhere.push_back(std::move(p));
  return *this;
}

ControllerBuilder& ControllerBuilder::MaxConcurrentReconciles(int workers) {
  impl_->workers = std::max(1, workers);
  return *this;
}

ControllerBuilder& ControllerBuilder::CacheSyncTimeout(Duration timeout) {
  impl_->sync_timeout = timeout;
  return *this;
}

ControllerBuilder& ControllerBuilder::WithRateLimiter(std::unique_ptr<RateLimiter> limiter) {
  impl_->limiter = std::move(limiter);
  return *this;
}

ControllerBuilder& ControllerBuilder::UsePriorityQueue(bool use) {
  impl_->priority_queue = use;
  return *this;
}

std::unique_ptr<BuiltController> ControllerBuilder::Build(Reconciler& reconciler) {
  Impl& i = *impl_;
  KSIM_CHECK(i.reconciled != nullptr) << i.part << ": must provide an object for reconciliation";
  KSIM_CHECK(!std::exchange(i.built, true)) << i.part << ": built twice";
  for (Impl::Owned& owned : i.owned) {
    owned.source.map = [owner = i.reconciled, only = owned.controller_only](const api::Object& o) {
      return KeysOfOwners(o, *owner, only);
    };
    i.sources.push_back(std::move(owned.source));
  }
  for (Source& source : i.watched) i.sources.push_back(std::move(source));
  for (Source& source : i.sources)
    source.predicates.insert(source.predicates.begin(), i.everywhere.begin(), i.everywhere.end());
  auto built = std::make_unique<Built>(i.connection, i.part, i.MakeQueue(), reconciler);
  built->Start(i.connection, i.informers, i.part, i.sources, i.workers, i.sync_timeout);
  return built;
}

}  // namespace ksim::client
