// Samples: small controllers that are wrong, each in one way in which controllers are wrong, and
// beside each its right twin. They are lessons, and prove that the oracles see such mistakes:
// docs/wrong-controllers.md has the table, scenarios/wrong/ the runs. One file each.
//
// A scenario names one in cluster.processes; "*" means none of them. CLIENT-142.
#pragma once
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/controllers/controller.h"

namespace ksim::controllers {

struct SampleInfo {
  std::string_view name;  // wrong-edge
  std::string_view twin;  // what does it right; "" of those that do
  std::string_view part;  // the built-in controller whose place it takes, or its own name
  std::string_view text;  // one line
  std::unique_ptr<Controller> (*make)(ControllerContext context) = nullptr;
};

template <class C>
std::unique_ptr<Controller> MakeSample(ControllerContext context) {
  return std::make_unique<C>(std::move(context));
}

const std::vector<SampleInfo>& Samples();
const SampleInfo* FindSample(std::string_view name);  // null: there is none

// The entries of each file.
using SampleList = std::vector<SampleInfo>;
SampleList EdgeSamples();
SampleList TombstoneSamples();
SampleList ReadbackSamples();
SampleList RequeueSamples();
SampleList PredicateSamples();
SampleList VersionsSamples();
SampleList RetrySamples();
SampleList StartSamples();
SampleList DoneSamples();
SampleList IdentitySamples();
SampleList CleanupSamples();
SampleList ExpectationSamples();

}  // namespace ksim::controllers
