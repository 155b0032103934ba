// The revisions of a Deployment, DaemonSet or StatefulSet, as kubectl rollout history shows them
// and undo goes back to them.
#pragma once
#include "ksim/kubectl/verbs/command_output.h"
#include "ksim/kubectl/verbs/earlier_tries.h"
#include "ksim/kubectl/verbs/options.h"
#include "ksim/kubectl/verbs/session.h"
#include "ksim/sim/task.h"

namespace ksim::kubectl {

// All revisions, or the pod template of one.
sim::Task<void> ShowHistory(Session& session, Session::Info info, const RolloutOptions& options,
                            CommandOutput* output);

sim::Task<void> UndoRollout(Session& session, Session::Info info, const RolloutOptions& options,
                            EarlierTries& tries, CommandOutput* output);

}  // namespace ksim::kubectl
