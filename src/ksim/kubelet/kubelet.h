// Kubelet: the agent of one node: watches the pods that name it, gives each a worker, looks at the
// runtime, reports statuses and keeps the Node and its lease alive.
//
// Made at every start of its process; the Runtime it drives belongs to the machine and survives it.
//
// Source: pkg/kubelet/kubelet.go Run, syncLoopIteration, HandlePod*; config/{apiserver,config}.go;
// pleg/generic.go. KUBELET-01..03, 08, 35..37.
#pragma once
#include <memory>
#include <string>

#include "absl/container/btree_map.h"
#include "ksim/client/client.h"
#include "ksim/client/event_recorder.h"
#include "ksim/client/informer.h"
#include "ksim/kubelet/eviction.h"
#include "ksim/kubelet/node/node_agent.h"
#include "ksim/kubelet/node/node_options.h"
#include "ksim/kubelet/node/volumes_in_use.h"
#include "ksim/kubelet/objects/pod_objects.h"
#include "ksim/kubelet/pod_workers/pod_workers.h"
#include "ksim/kubelet/prober/prober.h"
#include "ksim/kubelet/runtime/runtime.h"
#include "ksim/kubelet/stages/stage_player.h"
#include "ksim/kubelet/status/status_manager.h"
#include "ksim/kubelet/volumes/volume_manager.h"
#include "ksim/sim/process.h"

namespace ksim::kubelet {

class Kubelet {
 public:
  Kubelet(sim::Process& process, client::Connection& connection, client::InformerFactory& informers,
          Runtime& runtime, NodeOptions options);
  ~Kubelet();
  void Start();

 private:
  // --- pod config: what the API server wants here, as adds, updates and removals by uid ---
  void AddPod(const api::Object& pod);
  void UpdatePod(const api::Object& before, const api::Object& after);
  void RemovePod(const api::Object& pod);
  void Reject(const api::Object& pod, const struct Refusal& refusal);

  // Gives the pod to the Stages if it is one of theirs. False: it is not.
  bool PlayStages(const api::Object& pod);

  sim::Task<void> Run();
  void CleanUp();

  // --- PLEG: the runtime is looked at once a second, in 1.36 also right after a change ---
  void RuntimeChanged(const std::string& uid);
  sim::Task<void> Relist();

  sim::Process& process_;
  client::Environment& env_;
  const Profile& profile_;
  client::InformerFactory& informers_;
  Runtime& runtime_;
  NodeOptions options_;
  client::Client client_, heartbeats_;
  client::EventRecorder recorder_;
  client::SharedInformer& nodes_;
  client::SharedInformer& pods_;
  client::HandlerFuncs pod_handlers_;
  StatusManager statuses_;
  Prober prober_;
  PodObjects objects_;
  VolumesInUse in_use_;
  VolumeManager volumes_;
  PodWorkers workers_;
  EvictionManager evictions_;
  std::unique_ptr<StagePlayer> stages_;  // null: there are none
  NodeAgent node_;
  VirtualTime started_;
  int pod_registration_ = 0;
  bool ready_ = false;                               // the node and the first pods are known
  absl::btree_map<std::string, api::Object> early_;  // told of before that; by uid
  // Pods the runtime changed since the last look, and what changed them.
  absl::btree_map<std::string, sim::Origin> changed_;
  sim::Signal runtime_changed_;
};

}  // namespace ksim::kubelet
