// Kubectl: the user. Does what a step says through the requests that kubectl would send, as the
// actor `kubectl`, and answers with the lines that kubectl would print.
//
// Source: kubernetes/kubectl pkg/cmd/{create,apply,replace,patch,delete,scale,label,annotate,
// drain,wait}.
#pragma once
#include <string>
#include <vector>

#include "ksim/client/client.h"
#include "ksim/scenario/earlier_tries.h"
#include "ksim/scenario/scenario.h"
#include "ksim/sim/task.h"

namespace ksim::scenario {

// What a step came to.
struct StepOutcome {
  StepOutcome() = default;
  std::vector<std::string> lines;  // replicaset.apps/my-replicaset created
  std::string error;               // as kubectl words it; "" = done
  bool ok() const { return error.empty(); }
};

class Kubectl {
 public:
  // `connection` is that of the process kubectl.
  explicit Kubectl(client::Connection& connection);

  // Steps about machines (addNode, removeNode) are the world's, not kubectl's. `tries` must live as
  // long as the task.
  sim::Task<StepOutcome> Run(const Step& step, EarlierTries& tries);

 private:
  using Info = const api::ResourceInfo*;

  sim::Task<StepOutcome> Create(const Step& step, EarlierTries& tries);
  sim::Task<StepOutcome> Apply(const Step& step);
  sim::Task<StepOutcome> Replace(const Step& step);
  sim::Task<StepOutcome> Patch(const Step& step);
  sim::Task<StepOutcome> Delete(const Step& step, EarlierTries& tries);
  sim::Task<StepOutcome> Scale(const Step& step);
  sim::Task<StepOutcome> Mark(const Step& step);    // label, annotate
  sim::Task<StepOutcome> Cordon(const Step& step);  // uncordon
  sim::Task<StepOutcome> Wait(const Step& step);
  sim::Task<StepOutcome> Drain(const Step& step);
  sim::Task<StepOutcome> Evict(const Step& step, EarlierTries& tries);

  // --- requests ---
  sim::Task<api::Response> Send(api::Request request);
  sim::Task<api::Response> PatchObject(Info info, std::string ns, std::string name,
                                       value::Value patch, api::PatchType type,
                                       std::string subresource, std::string manager);
  sim::Task<api::Response> GetNamed(Info info, std::string ns, std::string name);
  sim::Task<api::Response> ApplyOne(Info info, api::Object wanted, const char** done,
                                    StepOutcome* outcome);
  sim::Task<api::Response> ApplyOnServer(Info info, api::Object wanted, const Step& step);
  sim::Task<api::Response> DeleteOne(Info info, std::string ns, std::string name, const Step& step);
  sim::Task<api::Response> EvictOne(std::string ns, std::string name,
                                    std::optional<std::int64_t> grace);
  struct ToDrain;
  sim::Task<bool> IsDaemons(api::Object pod, const Step& step, ToDrain* out);
  sim::Task<bool> FindPodsToDrain(const Step& step, ToDrain* out, StepOutcome* outcome);
  sim::Task<std::string> EvictUntilTaken(api::Object pod, const Step& step, VirtualTime deadline,
                                         StepOutcome* outcome);
  sim::Task<std::vector<std::string>> EvictAll(std::vector<api::Object> pods, const Step& step,
                                               StepOutcome* outcome);
  // The step's target as objects: one by name, or those that its selector picks.
  sim::Task<api::Response> Targets(Info info, const Step& step);
  // Until the object of that uid is gone. False if the watch cannot be had.
  sim::Task<bool> UntilGone(Info info, std::string ns, std::string name, std::string uid);
  // The objects that a delete is about, with the uid if it was looked up.
  struct Doomed {
    Doomed(Info i, std::string_view n, std::string_view m) : info(i), ns(n), name(m) {}
    Info info;
    std::string ns, name, uid;
    bool gone = false;  // an earlier try has deleted it
  };
  sim::Task<std::vector<Doomed>> FindDoomed(const Step& step, StepOutcome* outcome);
  // Until one object is as the step wants it, or the deadline; says so in the outcome.
  sim::Task<void> WaitForOne(Info info, api::Object target, const Step& step, VirtualTime deadline,
                             StepOutcome* outcome);
  // Watches one object from a version on until it is as wanted. False: the watch ended before.
  sim::Task<bool> WatchUntil(Info info, api::Object target, const Step& step, std::int64_t rv,
                             Duration left, StepOutcome* outcome);

  // The resource of an object; null (and an error in `outcome`) if the API has none.
  Info Resolve(const value::Value& object, StepOutcome* outcome) const;
  api::Object Prepared(Info info, const Manifest& manifest) const;

  client::Environment& env_;
  client::Client client_;
};

// "Error from server (NotFound): ..." or what kubectl prints for a lost connection. `doing`: what
// was being done to an object of a manifest ("creating"), all of which come from the standard
// input.
std::string ErrorText(const api::Response& response, std::string_view doing = "");
// What a server-side apply says of fields that others own.
std::string ApplyConflictText(const api::Status& status);
// "Warning: ...", each text once.
void TellWarnings(const api::Response& response, StepOutcome* outcome);
// "replicaset.apps/my-replicaset"
std::string Slashed(const api::ResourceInfo& info, std::string_view name);
// "replicasets.apps/default/my-replicaset"
std::string ObjectPath(const api::ResourceInfo& info, std::string_view ns, std::string_view name);

}  // namespace ksim::scenario
