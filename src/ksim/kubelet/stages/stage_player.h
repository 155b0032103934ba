// StagePlayer: plays the pods of one node that Stages select, in place of the container runtime: at
// each new version of a pod it draws the next stage, waits out its delay and carries out its steps.
//
// A pod belongs to the Stages from when the kubelet first sees it to its end. A newer version takes
// the place of a stage that still waits, unless no stage matches it; one that has begun goes on.
//
// Source: kwok pkg/kwok/controllers/pod_controller.go; pkg/utils/lifecycle/next.go.
// KUBELET-STAGE-02, 03.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "ksim/api/object.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/kubelet/stages/stage.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

class StagePlayer {
 public:
  StagePlayer(sim::Process& process, client::Client& client, Runtime& runtime,
              std::shared_ptr<const StageSet> stages, const std::string& node, std::string node_ip);

  // Whether the pod is played here: the Stages select it, or did when it came.
  bool Plays(const api::Object& pod) const { return pods_.contains(std::string(pod.uid())); }
  bool Selects(const api::Object& pod) const { return stages_->Selects(pod); }
  // The pod is there, as `pod` says.
  void See(const api::Object& pod);
  void Remove(const api::Object& pod);
  // Forgets what the machine keeps of pods that went while no kubelet ran.
  void ForgetOthers();
  // The pods that are not over: they count against the node.
  void AppendActive(std::vector<api::Object>* pods) const;

 private:
  struct Job {
    Job() = default;
    api::Object pod;
    const Stage* stage = nullptr;
    std::size_t step = 0;       // the first that is to be carried out
    std::uint64_t retries = 0;  // so far
  };
  struct Played {
    Played() = default;
    api::Object pod;
    bool waits = false;  // a stage's delay is under way
    std::int64_t waits_for = 0;
    sim::Process::TaskId task;
    absl::btree_map<std::string, int> counts;  // how often each stage was played
  };
  // How a step went: it did nothing, it went well, or why it did not.
  struct StepOutcome {
    StepOutcome() = default;
    std::string error;
    bool retry = false;
    std::optional<api::Object> pod;  // as the server has it
    bool deleted = false;
  };

  void Enqueue(Played* played, Job job, Duration delay, bool waited);
  sim::Task<void> Play(Job job, Duration delay, sim::TimerKind kind);
  sim::Task<StepOutcome> Carry(const StageStep* step, const api::Object* pod, bool deleted);
  sim::Task<StepOutcome> SendPatch(const api::Object* pod, value::Value patch, api::PatchType type,
                                   std::string subresource);
  sim::Task<StepOutcome> SendDelete(const api::Object* pod);
  // The patch of a step; nullopt and the error if the template makes none.
  std::optional<value::Value> PatchOf(const StagePatch& patch, const api::Object& pod,
                                      std::string* error);
  const Stage* NextStage(const api::Object& pod, const value::Value& tree, std::uint64_t identity);
  std::uint64_t IdentityOf(const api::Object& pod) const;

  sim::Process& process_;
  client::Environment& env_;
  client::Client& client_;
  Runtime& runtime_;
  std::shared_ptr<const StageSet> stages_;
  std::string node_ip_;
  client::EventRecorder recorder_;
  const api::ResourceInfo* resource_;
  sim::SiteId choice_site_, delay_site_, retry_site_;
  VirtualTime started_;
  absl::btree_map<std::string, Played> pods_;  // by uid
};

}  // namespace ksim::kubelet
