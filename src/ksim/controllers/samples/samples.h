// Samples: small controllers that are wrong, each in one way in which controllers are wrong, and
// beside each its right twin. They are lessons, and prove that the oracles see such mistakes:
// docs/wrong-controllers.md has the table, scenarios/wrong/ the runs. One file each.
//
// A scenario names one in cluster.processes; "*" means none of them. CLIENT-142.
#pragma once
#include "ksim/controllers/common/controller_info.h"

namespace ksim::controllers {

// The rows of each file, which controllers/registry.cc takes into the register. Every sample acts
// under "handlers" too if it listens beside its builder (Sample::ListenBeside).
ControllerRows KeeperSamples();
ControllerRows EdgeSamples();
ControllerRows TombstoneSamples();
ControllerRows ReadbackSamples();
ControllerRows RequeueSamples();
ControllerRows PredicateSamples();
ControllerRows VersionsSamples();
ControllerRows RetrySamples();
ControllerRows StartSamples();
ControllerRows DoneSamples();
ControllerRows IdentitySamples();
ControllerRows CleanupSamples();
ControllerRows ExpectationSamples();
ControllerRows NumberSamples();
ControllerRows AbsenceSamples();
ControllerRows PatchSamples();
ControllerRows SwallowSamples();
ControllerRows StormSamples();
ControllerRows BynameSamples();
ControllerRows FinalizerSamples();
ControllerRows ExistsSamples();
ControllerRows GenerationSamples();
ControllerRows ClockSamples();
ControllerRows TerminatingSamples();
ControllerRows OwnerSamples();
ControllerRows BookmarkSamples();
ControllerRows LateSamples();

}  // namespace ksim::controllers
