// SharedInformer: a reflector that lists and watches one resource, a delta queue, and an indexer
// with handlers behind it. One per resource and process; its three stages stay separate, so that a
// fault can sit between any two of them.
//
// Source: client-go tools/cache/shared_informer.go, informers/factory.go, tools/cache/listers.go.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/sim/task.h"

namespace ksim::client {

// The argument of OnDelete. A tombstone (client-go DeletedFinalStateUnknown) stands for a deletion
// that was not seen: `object` is the last state known and may be out of date.
struct Deleted {
  Deleted() = default;
  api::Object object;
  bool tombstone = false;
};

// Called one at a time and in order for each listener, never inside the cache update. Plain
// functions: what takes time belongs behind a work queue.
class ResourceEventHandler {
 public:
  virtual ~ResourceEventHandler() = default;
  virtual void OnAdd(const api::Object& object, bool is_in_initial_list) = 0;
  virtual void OnUpdate(const api::Object& old_object, const api::Object& new_object) = 0;
  virtual void OnDelete(const Deleted& deleted) = 0;
};

// The same from functions; a missing one ignores.
struct HandlerFuncs : ResourceEventHandler {
  std::function<void(const api::Object&, bool)> add;
  std::function<void(const api::Object&, const api::Object&)> update;
  std::function<void(const Deleted&)> del;
  void OnAdd(const api::Object& o, bool initial) override {
    if (add) add(o, initial);
  }
  void OnUpdate(const api::Object& a, const api::Object& b) override {
    if (update) update(a, b);
  }
  void OnDelete(const Deleted& d) override {
    if (del) del(d);
  }
};

// Tells `handler` only of objects that pass `filter`. An update that moves an object in or out is
// an add (not initial) or a delete with the old object. At a delete the filter gets what the
// handler would get: `tombstone` says that the object may be out of date. CLIENT-68.
class FilteringHandler : public ResourceEventHandler {
 public:
  using Filter = std::function<bool(const api::Object& object, bool tombstone)>;
  FilteringHandler(Filter filter, ResourceEventHandler* handler)
      : filter_(std::move(filter)), handler_(handler) {}
  void OnAdd(const api::Object& object, bool is_in_initial_list) override;
  void OnUpdate(const api::Object& old_object, const api::Object& new_object) override;
  void OnDelete(const Deleted& deleted) override;

 private:
  Filter filter_;
  ResourceEventHandler* handler_;
};

// The values under which an object is filed in an index. A cache uses one again for each object
// that it asks about, so that they need no memory of their own.
class IndexValues {
 public:
  IndexValues() = default;
  void Add(std::string_view value) {
    text_.append(value);
    ends_.push_back(text_.size());
  }
  void clear() {
    text_.clear();
    ends_.clear();
  }
  std::size_t size() const { return ends_.size(); }
  std::string_view operator[](std::size_t i) const {  // in the order of adding
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(text_).substr(begin, ends_[i] - begin);
  }
  friend bool operator==(const IndexValues&, const IndexValues&) = default;

 private:
  std::string text_;               // all of them, one behind the other
  std::vector<std::size_t> ends_;  // in text_
};

// Adds the object's values; what is added twice counts once.
using IndexFunc = std::function<void(const api::Object&, IndexValues&)>;

// TransformFunc: returns the object that the cache keeps for one that the server sent: mostly the
// same with fewer fields. The queue calls it before anybody else sees the object, and may call it
// again on its own result, which it must return as it is. `tombstone`: the object is the last state
// known of a deletion not seen, which was transformed before; up to 1.30 it is transformed all the
// same, and so are resyncs. An error leaves a watch event out and fails a list, which the reflector
// then tries again (1.25: out of the cache). CLIENT-54.
using TransformFunc =
    std::function<absl::StatusOr<api::Object>(const api::Object& object, bool tombstone)>;

// The cache. Reads are of this moment: what the informer has taken in, not what the server has.
// All results are in key order.
class Lister {
 public:
  virtual ~Lister() = default;
  virtual api::Object Get(std::string_view ns,
                          std::string_view name) const = 0;              // empty: not found
  virtual std::vector<api::Object> List(std::string_view ns) const = 0;  // "" = all
  virtual std::vector<api::Object> ByIndex(std::string_view index,
                                           std::string_view value) const = 0;
  virtual bool HasIndex(std::string_view index) const = 0;
  virtual std::size_t size() const = 0;
  virtual std::int64_t last_synced_resource_version() const = 0;  // CLIENT-71; 0 = unknown
};

class SharedInformer {
 public:
  virtual ~SharedInformer() = default;
  // Registers a handler for the actor `listener` (PROCESS/PART). After start it first gets every
  // cached object as an initial add. The handler must outlive the process' incarnation.
  // Returns a registration number for HasSynced(registration) and Remove.
  // `resync`: how often to be told of every object again; 0 = the factory's period, negative =
  // never (CLIENT-62).
  virtual int AddHandler(sim::ActorId listener, ResourceEventHandler* handler,
                         Duration resync = {}) = 0;
  virtual void RemoveHandler(int registration) = 0;  // not in 1.25 (KSIM_CHECK)
  // Before the start only (KSIM_CHECK).
  virtual void SetTransform(TransformFunc transform) = 0;
  // Values must depend on the object alone. On a running informer not in 1.25 (KSIM_CHECK).
  virtual void AddIndex(std::string name, IndexFunc function) = 0;
  virtual bool HasSynced() const = 0;
  virtual bool HasSynced(int registration) const = 0;
  virtual const Lister& lister() const = 0;
  virtual const api::ResourceInfo* resource() const = 0;
  // The version the reflector goes on from: ahead of the cache (CLIENT-30); "" before the first
  // list.
  virtual std::string last_sync_resource_version() const { return {}; }
  // The cache holds all that happened up to here, and perhaps more; 0 = unknown. In 1.36 the
  // store's own version, before that the reflector's when the delta queue was last empty.
  virtual std::int64_t applied_resource_version() const { return 0; }
  // Deltas and notifications still on their way to the cache and to handlers.
  virtual std::size_t pending() const { return 0; }
};

// The consistency of a new informer's first list: as the version does it (from the cache; in
// 1.36 a consistent watch-list), or one of the two in any version. The variant
// kubelet.initialList.
enum class FirstList : std::uint8_t { kAsVersion, kCached, kConsistent };

struct InformerOptions {
  InformerOptions() = default;
  std::string ns;  // "" = all namespaces
  std::string field_selector;
  std::string label_selector;
  FirstList first_list = FirstList::kAsVersion;
  // Servers end its watches after so long to twice that; 300 at least. From 1.36 on (CLIENT-15).
  std::uint32_t min_watch_timeout_seconds = 0;
  std::optional<Duration> resync;  // in place of the factory's (WithCustomResyncConfig)
};

// How often an informer's handlers are told of every object again; 0 = never. Asked once for each
// informer.
using ResyncPeriod = std::function<Duration()>;

// The shared informers of one incarnation of one process.
class InformerFactory {
 public:
  InformerFactory(Connection& connection, ClientOptions options, Duration resync);  // of all
  InformerFactory(Connection& connection, ClientOptions options, ResyncPeriod resync);
  ~InformerFactory();
  // The process' informer for a resource, made at the first call. The options of the first call
  // win.
  SharedInformer& For(const api::ResourceInfo* resource, InformerOptions options = {});
  // Starts those not started yet. Safe to call again after more were asked for.
  void Start();
  bool started() const;  // Start was called
  // True once all that exist have synced: polls every 100 ms, first check at once (CLIENT-65).
  sim::Task<bool> WaitForCacheSync();
  std::vector<SharedInformer*> informers() const;  // in order of resource name
  // Emits a `cache` event for each started informer, in that order: when faults end, at the end of
  // a run. `cause` is the seq of the event that asks for it.
  void EmitCacheEvents(std::uint64_t cause);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The resync period of a built-in controller manager: `min` times a factor drawn from [1, 2), once
// per factory. CLIENT-104.
Duration DrawResyncPeriod(Connection& connection, Duration min = Hours(12));
// Those of controller-runtime: ten hours, up to a tenth more or less, drawn for each informer.
// `connection` outlives it. CLIENT-104.
ResyncPeriod RuntimeResync(Connection& connection);

}  // namespace ksim::client
