#include "ksim/kubectl/verbs/kubectl.h"

#include <string>
#include <utility>

#include "ksim/kubectl/arguments/resource_argument.h"
#include "ksim/kubectl/verbs/verbs.h"

namespace ksim::kubectl {
namespace {

// The resource argument of the command; null: it has none.
const Target* TargetOf(const VerbOptions& options) {
  return std::visit(
      [](const auto& o) -> const Target* {
        if constexpr (requires { o.target; }) return &o.target;
        if constexpr (requires { o.from; }) return &o.from;
        return nullptr;
      },
      options);
}

sim::Task<CommandOutput> Refuse(std::string error) {
  CommandOutput output;
  output.error = std::move(error);
  co_return output;
}

}  // namespace

sim::Task<CommandOutput> Kubectl::Run(const VerbOptions& options, EarlierTries& tries) {
  const Target* const target = TargetOf(options);
  if (target != nullptr && !target->resource.empty() && session_.ResourceOf(*target) == nullptr)
    return Refuse(NoSuchTypeText(target->resource));
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
