// Elected: controllers of which several replicas run, each a process, and one leads: the others
// only try to get the Lease. A replica builds its controllers and starts its informers when it
// becomes the leader; when it loses the lease its process ends, as kube-controller-manager exits,
// and is started again. What it has sent by then still arrives.
//
// Source: cmd/kube-controller-manager/app/controllermanager.go Run, leaderElectAndRun.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ksim/client/leaderelection/leader_election.h"
#include "ksim/controllers/controller.h"
#include "ksim/scenario/component.h"

namespace ksim::scenario {

// The replicas of one lease. While some of them live and none leads, the run is not quiet: somebody
// will take over.
class ElectionGroup {
 public:
  ElectionGroup(sim::Simulation& sim, std::string lease) : sim_(sim), lease_(std::move(lease)) {}
  const std::string& lease() const { return lease_; }
  void Add(sim::Process& replica) { replicas_.push_back(&replica); }
  const std::vector<sim::Process*>& replicas() const { return replicas_; }  // by number
  // The replica that began to lead last, among those that lead; null if none does.
  sim::Process* leader() const { return leading_.empty() ? nullptr : leading_.back(); }

  void Joins(sim::Process& replica);  // it lives
  void Leads(sim::Process& replica);
  void Leaves(sim::Process& replica);

 private:
  void HoldOrRelease();

  sim::Simulation& sim_;
  std::string lease_;
  std::vector<sim::Process*> replicas_;
  std::vector<sim::Process*> leading_;  // in order; a deposed one leads until it notices
  int living_ = 0;
  bool held_ = false;
};

class ElectedBody : public Component::Body {
 public:
  using Build = std::function<std::vector<std::unique_ptr<controllers::Controller>>()>;
  ElectedBody(sim::Process& process, client::Connection& connection,
              client::InformerFactory& informers, ElectionGroup& group, Build build);
  ~ElectedBody() override;
  bool HasWorkAhead(const controllers::Heartbeats& heartbeats) const override;

 private:
  void Lead();
  void Stop();

  client::Environment& env_;
  sim::Process& process_;
  client::InformerFactory& informers_;
  ElectionGroup& group_;
  Build build_;
  client::Client client_;
  client::LeaderElector elector_;
  std::vector<std::unique_ptr<controllers::Controller>> controllers_;
};

}  // namespace ksim::scenario
