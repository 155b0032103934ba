#include "ksim/kubectl/verbs/kubectl.h"

#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {

sim::Task<CommandOutput> Kubectl::Run(const VerbOptions& options, EarlierTries& tries) {
  struct {
    Session& session;
    EarlierTries& tries;
    sim::Task<CommandOutput> operator()(const CreateOptions& o) {
      return Create(session, o, tries);
    }
    sim::Task<CommandOutput> operator()(const ApplyOptions& o) { return Apply(session, o); }
    sim::Task<CommandOutput> operator()(const ReplaceOptions& o) { return Replace(session, o); }
    sim::Task<CommandOutput> operator()(const PatchOptions& o) { return Patch(session, o); }
    sim::Task<CommandOutput> operator()(const DeleteOptions& o) {
      return Delete(session, o, tries);
    }
    sim::Task<CommandOutput> operator()(const ScaleOptions& o) { return Scale(session, o); }
    sim::Task<CommandOutput> operator()(const MarkOptions& o) { return Mark(session, o); }
    sim::Task<CommandOutput> operator()(const CordonOptions& o) { return Cordon(session, o); }
    sim::Task<CommandOutput> operator()(const WaitOptions& o) { return Wait(session, o); }
    sim::Task<CommandOutput> operator()(const DrainOptions& o) { return Drain(session, o); }
    sim::Task<CommandOutput> operator()(const EvictOptions& o) { return Evict(session, o, tries); }
    sim::Task<CommandOutput> operator()(const RolloutOptions& o) {
      return Rollout(session, o, tries);
    }
    sim::Task<CommandOutput> operator()(const SetImageOptions& o) { return SetImage(session, o); }
    sim::Task<CommandOutput> operator()(const ExposeOptions& o) {
      return Expose(session, o, tries);
    }
    sim::Task<CommandOutput> operator()(const AutoscaleOptions& o) {
      return Autoscale(session, o, tries);
    }
    sim::Task<CommandOutput> operator()(const CreateJobOptions& o) {
      return CreateJob(session, o, tries);
    }
  } begin{session_, tries};
  return std::visit(begin, options);
}

}  // namespace ksim::kubectl
