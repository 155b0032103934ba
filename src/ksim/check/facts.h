// Facts: what all oracles need to know of the run so far, worked out once an event: the history of
// the store, who asked what, every watch stream, every informer with the views of its handlers.
// Oracles read it; an event is taken in before they see it.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ksim/base/internal/shared_text.h"
#include "ksim/check/commit_history.h"
#include "ksim/check/given_up.h"
#include "ksim/check/observation.h"
#include "ksim/check/process_clocks.h"
#include "ksim/check/profile.h"
#include "ksim/check/sync_views.h"
#include "ksim/check/unseen_pods.h"
#include "ksim/check/watch_sequence.h"

namespace ksim::check {

// A list or watch that somebody asked for.
struct ReadRequest {
  ReadRequest() = default;
  std::string actor;
  std::shared_ptr<const Collection> collection;
  std::string rv;             // as sent
  std::int64_t sent = 0;      // when
  std::int64_t revision = 0;  // the store's, then
  bool over = false;          // answered, or its sender is gone
  bool send_initial = false;
  bool limited = false, continued = false;
  bool list = false;
};

// One connection.
struct Stream {
  Stream() = default;
  Level level = Level::kApi;
  std::uint64_t id = 0;
  SharedText server, client;
  std::uint64_t opened = 0;   // seq
  std::uint64_t request = 0;  // that asked for it; 0: it is not known
  WatchSequence sequence;
  bool reflectors = false;         // the client's informer reads it
  bool over = false;               // closed: what comes was on its way
  bool reader_gone = false;        // the client's process ended
  std::int64_t last_revision = 0;  // the store's when it closed, or when something came later
  std::uint64_t last_response = 0;
  std::int64_t last_response_revision = 0;
  std::uint32_t reported = 0;  // bits of the oracles that have reported it
  std::string Name() const;    // "watch 7 of kubelet/node-1 on kube-apiserver-0 (pods)"
};

// The last state of one object that one handler was told.
struct Told {
  std::int64_t rv = 0;
  std::uint64_t uid = 0;    // hash
  std::uint64_t since = 0;  // seq of the call that told it of this uid first
};

struct Listener {
  Listener() = default;
  std::string name;
  absl::flat_hash_map<std::uint64_t, Told> view;  // looked up; walked only to be sorted
  bool broken = false;                            // reported: judged no more
};

struct Informer {
  Informer() = default;
  std::string name;  // "PROCESS RESOURCE"
  std::string process, resource;
  std::shared_ptr<const Collection> collection;  // null before its first list
  WatchSequence sequence;                        // since the last list
  bool listed = false;
  std::int64_t served = 0;   // the highest revision it was told
  std::uint64_t told = 0;    // seq of the event that told it
  std::uint64_t relist = 0;  // seq of the last list
  // When the first of the lists was refused that it has asked for in vain since the last one that
  // it got, and by which answer; 0 = none was. Later by what it waited for answers that came late:
  // that is no refusal.
  std::int64_t refused_since = 0;
  std::uint64_t refusal = 0;  // seq
  std::uint32_t reported = 0;
  std::vector<std::unique_ptr<Listener>> listeners;  // in order of their first call
};

// The place of a delivery on its connection and in its reflector's sequence.
struct Delivery {
  Stream* stream = nullptr;
  SequenceStep step;
  Informer* informer = nullptr;  // null: no reflector's, or part of its initial state
  SequenceStep resumed;
};

// A handler call beside the last call about the same object.
struct HandlerStep {
  Informer* informer = nullptr;
  Listener* listener = nullptr;
  bool known = false;  // it had been told of the object, and so:
  Told before;
};

// The resources that are not brought to what they should be while a controller waits.
inline constexpr std::string_view kHeldUpByAWait[] = {"pods", "replicasets", "statefulsets",
                                                      "daemonsets", "deployments"};

class Facts {
 public:
  explicit Facts(api::Compat compat = kNewestCompat);
  Facts(const Facts&) = delete;
  Facts& operator=(const Facts&) = delete;

  void Take(const Observation& o);

  const Profile& profile() const { return profile_; }
  const CommitHistory& history() const { return history_; }
  // About the observation taken last, if it is of such a kind.
  const Delivery& delivery() const { return delivery_; }
  const HandlerStep& handler() const { return handler_; }
  // The informer of the last relist or cache event, as it was before.
  Informer* informer() const { return informer_; }
  std::int64_t served_before() const { return served_before_; }
  std::uint64_t told_before() const { return told_before_; }
  std::int64_t refused_before() const { return refused_before_; }
  std::uint64_t refusal_before() const { return refusal_before_; }

  const ReadRequest* Read(std::uint64_t request) const;  // null: no list or watch
  // In order of opening; in order of first listing.
  const std::vector<std::unique_ptr<Stream>>& streams() const { return streams_; }
  std::vector<Informer*> informers() const;
  // One line for each informer of the object's resource that disagrees with the store about it:
  // "kube-scheduler pods: revision 12, the store 15 (told up to 14)".
  std::vector<std::string> Beliefs(std::uint64_t object) const;

  std::int64_t now() const { return now_; }
  // When the last fault began or ended, or the run healed, and the last step of the user began or
  // ended; 0 = none did.
  std::int64_t last_fault() const { return last_fault_; }
  std::int64_t last_step() const { return last_step_; }
  // Faults that have begun and neither ended nor are over by nature, by id: "VERB TARGET".
  const std::map<std::string, std::string>& faults() const { return faults_; }
  bool SawActor(std::string_view part) const;  // somebody called "PROCESS/part" asked or reconciled
  bool SawScheduler() const { return scheduler_; }
  const GivenUp& given_up() const { return given_up_; }
  // Since when each API server that watches a resource on etcd does so without a break; 0 = always.
  std::int64_t watched_since(std::string_view resource) const;
  // How far the clocks of processes went: what they measure themselves is judged by it.
  const ProcessClocks& clocks() const { return clocks_; }
  const UnseenPods& unseen_pods() const { return unseen_pods_; }
  // A controller of ksim's own waits for a pod that it will never be told of (UnseenPods), and its
  // owner is there: what is asked of kHeldUpByAWait need not come true.
  bool AControllerWaits() const;
  const SyncViews& sync_views() const { return sync_views_; }
  std::size_t reads() const { return reads_.size(); }  // lists and watches that it remembers

 private:
  void TakeRequest(const Observation& o);
  void TakeResponse(const Observation& o);
  void TakeWatch(const Observation& o);
  void TakeDelivery(const Observation& o);
  void TakeHandler(const Observation& o);
  void TakeRelist(const Observation& o);
  void TakeFault(const Observation& o);
  void NotePart(std::string_view actor);
  void TakeProcess(std::string_view process);
  void ForgetUpTo(std::int64_t revision);
  Stream& NewStream(const Observation& o);
  void EndStream(Stream* stream);
  Stream* FindStream(Level level, std::uint64_t id);
  Informer& InformerOf(std::string_view name);
  Informer* FindInformer(std::string_view process, std::string_view resource);

  const Profile& profile_;
  CommitHistory history_;
  UnseenPods unseen_pods_;
  SyncViews sync_views_;
  std::int64_t now_ = 0, last_fault_ = 0, last_step_ = 0;
  absl::flat_hash_map<std::uint64_t, ReadRequest> reads_;  // looked up only
  std::vector<std::unique_ptr<Stream>> streams_;
  bool forgot_streams_ = false;
  absl::flat_hash_map<std::uint64_t, Stream*> by_id_[2];            // looked up only
  std::vector<std::unique_ptr<Informer>> informers_;                // null: forgotten
  absl::flat_hash_map<std::uint64_t, std::size_t> informer_index_;  // looked up only
  std::set<std::string, std::less<>> parts_;                        // looked up only
  std::map<std::string, std::string> faults_;
  ProcessClocks clocks_;
  GivenUp given_up_;
  std::map<std::string, std::int64_t, std::less<>> watched_since_;  // by resource
  Delivery delivery_;
  HandlerStep handler_;
  bool scheduler_ = false;
  Informer* informer_ = nullptr;
  std::int64_t served_before_ = 0;
  std::uint64_t told_before_ = 0;
  std::int64_t refused_before_ = 0;
  std::uint64_t refusal_before_ = 0;
};

}  // namespace ksim::check
