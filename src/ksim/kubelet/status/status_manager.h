// StatusManager: carries the pods' statuses to the API server, the newest one of each pod, and
// finishes graceful deletions: when a pod that is being deleted has stopped for good, it sends the
// last DELETE.
//
// Every send is a live GET, a merge, a strategic PATCH of pods/status with the pod's uid in it (no
// resourceVersion: it never conflicts), and nothing at all if nothing differs. 1.25 sends every
// version in a FIFO of 1000; later ones only the newest. What somebody else has made of the
// kubelet's part of a status is put right at the next tick of ten seconds. (Upstream looks at all
// pods then; only those that were seen to differ can need it.)
//
// Source: pkg/kubelet/status/status_manager.go. KUBELET-20, 22..29.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/kubelet/core/profile.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

class StatusManager {
 public:
  // `finished` tells whether a pod's worker is through with it and its containers are gone.
  StatusManager(sim::Process& process, client::Client& client, const Runtime& runtime,
                std::function<bool(const std::string& uid)> finished);
  void Start();

  // The newest status computed; null Value if none yet.
  const value::Value& Get(std::string_view uid) const;
  // Caches and triggers a send if it differs from the last; a pod that is being deleted always.
  void Set(const api::Object& pod, value::Value status);
  // The pod is over: containers never seen count as killed, a phase that is not terminal becomes
  // Failed (1.30 and later).
  void Terminate(const api::Object& pod);
  // The API's copy of the pod has changed, by whatever writer.
  void Observed(const api::Object& pod);
  // Sends the status of a pod again, whose worker has finished.
  void Trigger(const std::string& uid);
  void Forget(const std::string& uid);

 private:
  struct Entry {
    Entry() = default;
    api::Object pod;
    value::Value status;
    std::uint64_t version = 0;
    sim::Origin origin;
  };
  struct Send {
    Send() = default;
    std::string uid;
    std::uint64_t version = 0;
    value::Value status;
  };

  sim::Task<void> Run();
  sim::Task<void> SyncBatch(bool all);
  void Reconcile();
  bool IsSameByKubelet(const api::Object& current, const value::Value& status) const;
  // The patch that would bring the API's copy to `status`; nullopt: none is needed.
  std::optional<value::Value> PatchFor(const api::Object& current,
                                       const value::Value& status) const;
  sim::Task<void> SyncPod(Entry entry);
  sim::Task<void> DeletePod(api::Object pod);
  void Put(const api::Object& pod, value::Value status, bool force);
  void Queue(const std::string& uid);
  bool CanBeDeleted(const api::Object& pod) const;
  value::Value Merge(const api::Object& current, const value::Value& status) const;
  value::Value WithReadyFalse(const api::Object& current, const value::Value& status) const;

  sim::Process& process_;
  client::Client& client_;
  const Runtime& runtime_;
  std::function<bool(const std::string&)> finished_;
  const api::ResourceInfo* pods_;
  const Profile& profile_;
  absl::btree_map<std::string, Entry> statuses_;         // by uid
  absl::btree_map<std::string, std::uint64_t> sent_;     // newest version the API has
  absl::btree_set<std::string> due_;                     // uids to look at again
  std::deque<Send> queue_;                               // 1.25
  absl::btree_map<std::string, api::Object> differing_;  // seen, and not what was sent; by uid
  VirtualTime started_;
  bool triggered_ = false;  // since the last batch began, also while it was under way
  sim::Signal trigger_;
};

}  // namespace ksim::kubelet
