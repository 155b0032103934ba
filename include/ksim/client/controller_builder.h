// ControllerBuilder: which events lead to which keys, the way controller-runtime says it:
//
//   controller_ = ControllerBuilder(connection, informers, "website")
//                     .For(websites, {GenerationChanged()})
//                     .Owns(replicasets)
//                     .Watches(configmaps, [](const api::Object& o) { ... return keys; })
//                     .MaxConcurrentReconciles(4)
//                     .Build(*this);
//
// A reconciler gets "namespace/name" and nothing else: it reads what there is, it is not told what
// happened. Several events about a key are one call.
//
// Source: controller-runtime pkg/builder/controller.go, pkg/handler/{enqueue,enqueue_owner,
// enqueue_mapped}.go, pkg/predicate/predicate.go, pkg/internal/source/event_handler.go. CLIENT-131,
// CLIENT-137 to 139.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/informer.h"
#include "ksim/client/reconciler.h"
#include "ksim/client/workqueue.h"

namespace ksim::client {

// The event that a predicate judges.
struct ObjectEvent {
  ObjectEvent() = default;
  enum class Kind { kCreate, kUpdate, kDelete };
  Kind kind = Kind::kCreate;
  api::Object object;                 // new object, or the last known one at a delete
  api::Object old_object;             // update only
  bool initial = false;               // create only: it was there before
  bool delete_state_unknown = false;  // delete only: not seen, `object` may be out of date
};

// True lets an event through. Predicates of one source must all agree. They hold back events; the
// cache has the objects all the same.
using Predicate = std::function<bool(const ObjectEvent&)>;
Predicate GenerationChanged();       // drops updates of the same generation: status writes, resyncs
Predicate ResourceVersionChanged();  // drops updates without a change: resyncs
Predicate LabelChanged();            // drops updates that change no label
Predicate AnnotationChanged();
Predicate AllOf(std::vector<Predicate> predicates);
Predicate AnyOf(std::vector<Predicate> predicates);
Predicate Not(Predicate predicate);

// The keys that an object leads to. Asked for the old and the new object of an update.
using MapFunc = std::function<std::vector<std::string>(const api::Object&)>;

// The objects that own `object`, as keys: owner references of the owner's group and kind, whatever
// version and uid they name; `controller_only` takes the one that is its controller.
std::vector<std::string> KeysOfOwners(const api::Object& object, const api::ResourceInfo& owner,
                                      bool controller_only = true);

// A controller put together: handlers, queue and workers. Lives as long as the process'
// incarnation. In 1.36 (controller-runtime 0.23) the queue is a PriorityQueue, before that a
// WorkQueue (CLIENT-134).
class BuiltController {
 public:
  virtual ~BuiltController() = default;
  virtual RequestQueue& queue() = 0;
};

class ControllerBuilder {
 public:
  // `part` is the controller's part of the process and its name in `reconcile` events.
  ControllerBuilder(Connection& connection, InformerFactory& informers, std::string part);
  ~ControllerBuilder();

  // The controller reconciles objects of this resource: each event leads to the object itself.
  ControllerBuilder& For(const api::ResourceInfo* resource, std::vector<Predicate> predicates = {});
  // The controller creates objects of this resource: events lead to their owner, of the resource
  // that For names.
  ControllerBuilder& Owns(const api::ResourceInfo* resource, std::vector<Predicate> predicates = {},
                          bool controller_only = true);
  // Anything else.
  ControllerBuilder& Watches(const api::ResourceInfo* resource, MapFunc map,
                             std::vector<Predicate> predicates = {});
  ControllerBuilder& WithPredicates(std::vector<Predicate> predicates);  // of all sources
  ControllerBuilder& MaxConcurrentReconciles(int workers);               // default 1
  // How long Build's workers wait for the caches to fill before the process ends; default 2 min.
  ControllerBuilder& CacheSyncTimeout(Duration timeout);
  ControllerBuilder& WithRateLimiter(std::unique_ptr<RateLimiter> limiter);
  ControllerBuilder& UsePriorityQueue(bool use);  // default: as the version has it

  // Registers the handlers and spawns the workers, which begin when the caches are filled. Without
  // For, or called twice: a KSIM_CHECK. `reconciler` outlives what it returns.
  std::unique_ptr<BuiltController> Build(Reconciler& reconciler);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ksim::client
