// The verbs, one a file: create.cc, create_job.cc, apply.cc, replace.cc, patch.cc, scale.cc,
// mark.cc, cordon.cc, delete.cc, wait.cc, drain.cc, rollout.cc (with rollout_history.cc),
// set_image.cc, expose.cc (with autoscale). Options and tries must live as long as the task.
#pragma once
#include "ksim/kubectl/verbs/command_output.h"
#include "ksim/kubectl/verbs/earlier_tries.h"
#include "ksim/kubectl/verbs/options.h"
#include "ksim/kubectl/verbs/session.h"
#include "ksim/sim/task.h"

namespace ksim::kubectl {

sim::Task<CommandOutput> Create(Session& session, const CreateOptions& options,
                                EarlierTries& tries);
sim::Task<CommandOutput> CreateJob(Session& session, const CreateJobOptions& options,
                                   EarlierTries& tries);
sim::Task<CommandOutput> Apply(Session& session, const ApplyOptions& options);
sim::Task<CommandOutput> Replace(Session& session, const ReplaceOptions& options);
sim::Task<CommandOutput> Patch(Session& session, const PatchOptions& options);
sim::Task<CommandOutput> Delete(Session& session, const DeleteOptions& options,
                                EarlierTries& tries);
sim::Task<CommandOutput> Scale(Session& session, const ScaleOptions& options);
sim::Task<CommandOutput> Mark(Session& session, const MarkOptions& options);
sim::Task<CommandOutput> Cordon(Session& session, const CordonOptions& options);
sim::Task<CommandOutput> Wait(Session& session, const WaitOptions& options);
sim::Task<CommandOutput> Drain(Session& session, const DrainOptions& options);
sim::Task<CommandOutput> Rollout(Session& session, const RolloutOptions& options,
                                 EarlierTries& tries);
sim::Task<CommandOutput> SetImage(Session& session, const SetImageOptions& options);
sim::Task<CommandOutput> Expose(Session& session, const ExposeOptions& options,
                                EarlierTries& tries);
sim::Task<CommandOutput> Autoscale(Session& session, const AutoscaleOptions& options,
                                   EarlierTries& tries);
sim::Task<CommandOutput> Evict(Session& session, const EvictOptions& options, EarlierTries& tries);

}  // namespace ksim::kubectl
