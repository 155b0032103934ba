// Runtime: the container runtime of one node. It belongs to the machine, not to the kubelet: it
// keeps running when the kubelet dies, and is what a restarted kubelet finds. Doing things takes
// time, drawn per pod; images pulled once stay.
//
// The kubelet awaits the operations; one that its death cuts short has not happened. Containers end
// by being killed; init containers end by themselves, with exit code 0, after a drawn time; both as
// the pod's annotations say, if they say anything (kubelet/runtime/behaviour.h).
#pragma once
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/functional/any_invocable.h"
#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/kubelet/runtime/image.h"
#include "ksim/kubelet/runtime/trouble.h"
#include "ksim/sim/mailbox.h"
#include "ksim/sim/process.h"
#include "ksim/sim/simulation.h"
#include "ksim/sim/task.h"

namespace ksim::kubelet {

// The exit codes of a process that ends at SIGTERM, and of one that SIGKILL ends.
inline constexpr int kTermExitCode = 143;
inline constexpr int kKillExitCode = 137;

struct Container {
  Container() = default;
  enum class State { kCreated, kRunning, kExited };
  std::string name;
  std::string image;
  std::string image_id;
  std::string id;  // containerd://<64 hex digits>
  State state = State::kCreated;
  bool init = false;
  VirtualTime started, finished;
  VirtualTime steadily_finished;  // by the node's monotonic clock: back-offs count from it
  int exit_code = 0;
  bool oom = false;   // the kernel killed it for its memory
  int restarts = 0;   // how many of this name came before
  value::Value told;  // its status, of a container that was adopted and has not changed since
  std::shared_ptr<const Container> previous;  // the one before, which has ended; null: none
};

struct PodSandbox {
  PodSandbox() = default;
  api::Object pod;  // as it was when the sandbox was made
  std::uint64_t identity = 0;
  std::size_t address = 0;  // the last byte of its ip
  std::string ip;
  bool ready = false;  // the network is up; false again once stopped
  absl::btree_map<std::string, Container> containers;  // newest of each name
  absl::btree_map<std::string, int> pulls;             // begun so far, by container
  bool adopted = false;                                // it ran before the simulation began

  bool AnyRunning() const;
};

class Runtime {
 public:
  // `pod_network` is the node's /24: "10.244.1".
  Runtime(client::Environment& env, std::string node, std::string pod_network);

  // New pods get addresses of this range, that of the Node's spec.podCIDR: "10.244.1.0/24".
  void UsePodNetwork(std::string_view cidr);

  // Containers of Jobs' pods of which nothing else is said end so long after their start; 0: never.
  void EndJobsAfter(Duration after) { jobs_end_after_ = after; }

  // The pod as the runtime has it; null if it knows nothing of it.
  const PodSandbox* Find(std::string_view uid) const;
  std::vector<std::string> PodUids() const;  // sorted
  bool HasImage(std::string_view image) const { return images_.contains(FullImageName(image)); }
  // Describes the images of the cluster; those that are present at the start are on this node.
  void UseImages(std::shared_ptr<const ImageCatalog> catalog);
  std::string UserOf(std::string_view image) const { return catalog_->UserOf(image); }

  // Before the simulation runs: the node has run the pod, as its status tells. Containers that run
  // go on running, unless the pod's annotations say how they end.
  void Adopt(const api::Object& pod);

  sim::Task<void> CreateSandbox(api::Object pod);
  // How long the pull took and how large the image is; or why there is none. One pull at a time
  // (serializeImagePulls).
  struct Pulled {
    Pulled() = default;
    std::string error;  // "": none
    Duration took, waited;
    std::int64_t bytes = 0;
  };
  sim::Task<Pulled> PullImage(std::string uid, std::string container, std::string image);
  sim::Task<void> CreateContainer(std::string uid, std::string name, std::string image, bool init);
  sim::Task<void> StartContainer(std::string uid, std::string name);
  // A container lives by its node's clock; what the runtime needs for its own work is true time.
  // SIGTERM, and SIGKILL when `grace` is over. Returns when it has exited; at once if it has.
  sim::Task<void> KillContainer(std::string uid, std::string name, Duration grace);
  sim::Task<void> StopSandbox(std::string uid);
  void RemovePod(std::string_view uid);

  // The attached volumes that are mounted here, or are to be, by the uids of their pods.
  struct Mounts {
    Mounts() = default;
    bool any = false;  // there ever was one
    absl::btree_map<std::string, std::set<std::string>> of_pods;
  };
  Mounts& mounts() { return mounts_; }

  // --- pods that Stages play (kubelet/stages/): they have an address here, and no containers ---
  void MarkPlayed(const api::Object& pod);  // tells the trace when it is new
  bool IsPlayed(std::string_view uid) const { return played_.contains(std::string(uid)); }
  const std::string& AddressOf(const api::Object& pod);
  void EmitStage(const api::Object& pod, std::string stage);  // it is played; tells the trace
  void ForgetPlayed(std::string_view uid);
  std::vector<std::string> PlayedUids() const;  // sorted

  // Sets or lifts a trouble of the machine, and tells the listener if that changes anything.
  void Set(Trouble trouble, bool on);
  bool Has(Trouble trouble) const { return troubles_.contains(trouble); }
  void OnTrouble(std::function<void()> listener) { trouble_listener_ = std::move(listener); }

  // Sets the listener for changes of a pod's state. There is one listener: the kubelet alive now.
  void OnChange(std::function<void(const std::string& uid)> listener) {
    listener_ = std::move(listener);
  }

 private:
  // The node's clocks are its kubelet's. Null: there is no kubelet.
  sim::Process* machine() const { return env_.sim.FindProcess(actor_.name()); }
  // Calls when the node's clock has gone on by `delay`.
  void AfterByTheClock(Duration delay, sim::TimerKind kind, const char* label,
                       absl::AnyInvocable<void()> call);
  PodSandbox& Pod(const std::string& uid);
  std::string TakeAddress(PodSandbox* sandbox);
  void AdoptContainer(const std::string& uid, const value::Value& status, bool init);
  void Changed(const std::string& uid);
  // Ends the container of that id; does nothing if there is another one by now. The action tells
  // whether it ended by itself (exit) or was killed.
  void Exit(const std::string& uid, const std::string& name, const std::string& id, int code,
            std::string_view action, bool oom = false);
  void PlanEnd(const std::string& uid, const Container& container);
  void PlanLines(const std::string& uid, const Container& container);
  // Prints a line if the container of that id is still running.
  void Print(const std::string& uid, const std::string& name, const std::string& id,
             const std::string& line);
  std::string DrawHex(sim::SiteId site, std::uint64_t key);
  void Emit(const PodSandbox& pod, std::string_view container, std::string_view action,
            std::string result);

  // The sites of the runtime's draws; made once.
  struct Sites {
    Sites(sim::Decisions& decisions, const std::string& prefix);
    sim::SiteId sandbox, pull, create, start, stop, run, container_id;
  };

  client::Environment& env_;
  std::string node_;
  sim::ActorId actor_;  // the node's kubelet
  Sites sites_;
  std::string pod_network_;
  Duration jobs_end_after_;
  std::size_t next_address_ = 2;
  std::bitset<256> addresses_;                       // that pods have
  absl::btree_map<std::string, PodSandbox> pods_;    // by uid
  absl::btree_map<std::string, PodSandbox> played_;  // pods that Stages play, by uid
  std::shared_ptr<const ImageCatalog> catalog_;      // never null
  std::set<std::string, std::less<>> images_;        // by full name
  bool pulling_ = false;
  sim::Signal pull_done_;
  std::set<Trouble> troubles_;
  Mounts mounts_;
  std::function<void(const std::string&)> listener_;
  std::function<void()> trouble_listener_;
};

}  // namespace ksim::kubelet
