// The shared informer's inside: reflector -> delta queue -> (informer loop) -> indexer and
// listeners' queues. Three tasks of the process, three queues, nothing fused.
//
// Source: client-go tools/cache/shared_informer.go (sharedIndexInformer), controller.go
// (processDeltas, processReplacedAllInfo). CLIENT-55..72.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ksim/client/cache/delta_queue.h"
#include "ksim/client/cache/indexer.h"
#include "ksim/client/cache/processor.h"
#include "ksim/client/cache/reflector.h"
#include "ksim/client/core/cache_log.h"
#include "ksim/client/core/payloads.h"
#include "ksim/client/core/profile.h"
#include "ksim/client/informer.h"

namespace ksim::client {

class SharedIndexInformer : public SharedInformer {
 public:
  // `client` outlives the informer's tasks. `resync` is the default of its handlers and how often
  // the reflector asks who is due.
  SharedIndexInformer(Client& client, const api::ResourceInfo* resource, InformerOptions options,
                      Duration resync);
  ~SharedIndexInformer() override;

  void Start();  // a second call does nothing (CLIENT-67)
  bool started() const { return started_; }
  // Emits `cache` with what the cache holds at this moment.
  void EmitCache(std::uint64_t cause) { EmitCacheAt(CacheResourceVersion(), cause); }
  std::string_view name() const { return name_; }  // "PROCESS RESOURCE"
  const Reflector& reflector() const { return reflector_; }
  const Indexer& indexer() const { return indexer_; }
  const DeltaQueue& queue() const { return *queue_; }
  const Processor& processor() const { return processor_; }
  // From now on `log` hears what the informer and its reflector tell; it outlives the informer.
  void LogTo(CacheLog* log);
  const CacheLog* log() const { return log_; }  // null: nobody listens

  int AddHandler(sim::ActorId listener, ResourceEventHandler* handler, Duration resync) override;
  void RemoveHandler(int registration) override;
  void SetTransform(TransformFunc transform) override;
  void AddIndex(std::string name, IndexFunc function) override;
  bool HasSynced() const override { return started_ && queue_->HasSynced(); }
  bool HasSynced(int registration) const override;
  const Lister& lister() const override { return indexer_; }
  const api::ResourceInfo* resource() const override { return resource_; }
  std::string last_sync_resource_version() const override {
    return reflector_.last_sync_resource_version();
  }
  std::int64_t applied_resource_version() const override;
  std::size_t pending() const override { return queue_->size() + processor_.waiting(); }

 private:
  // A relist whose entries are not all applied yet.
  struct Relist {
    std::size_t entries_left;
    std::int64_t rv;
    std::uint64_t cause;
  };
  sim::Task<void> ProcessLoop();
  void Process(const Popped& popped);
  void ProcessDeltas(const Popped& popped);
  void ProcessDelta(const Delta& delta, bool initial);
  void ProcessReplacedAll(const Popped& popped);
  void ProcessSyncAll(const Popped& popped);
  void NotifyPut(const api::Object& old, const api::Object& object, sim::Origin origin,
                 bool initial);
  void NotifyDelete(const api::Object& object, bool tombstone, sim::Origin origin);
  void FinishRelists();
  void EmitCacheAt(std::int64_t rv, std::uint64_t cause);
  std::int64_t ReflectorVersion() const;  // 0 before the first list
  // The version whose state the cache holds: the reflector's once all is applied.
  std::int64_t CacheResourceVersion() const;
  // Tells of a resync period that a handler asks for and does not get.
  void SayPeriod(CacheMoment::Kind what, Duration period);
  ReflectorOptions MakeReflectorOptions(const InformerOptions& options);

  HandlerFaults* HandlersOf(sim::ActorId actor) const;  // null: no faults here
  PanicPolicy Panics() const;

  Connection& connection_;
  const Environment& env_;
  sim::Process& process_;
  FaultHooks* faults_;
  const api::ResourceInfo* resource_;
  SharedText name_;
  const Profile& profile_;
  Duration default_resync_;  // of handlers that name none
  Duration check_period_;
  Indexer indexer_;
  std::unique_ptr<DeltaQueue> queue_;
  TransformFunc late_transform_;  // 1.25: of what has been popped
  sim::Signal queued_;
  Processor processor_;
  Reflector reflector_;
  std::vector<Relist> relists_;  // the oldest first; hardly ever more than one
  CacheLog* log_ = nullptr;
  std::int64_t drained_rv_ = 0;  // the reflector's version when the queue was last empty
  bool started_ = false;
};

}  // namespace ksim::client
