#include "ksim/controllers/samples/samples.h"

#include "ksim/controllers/samples/sample.h"

namespace ksim::controllers {

const std::vector<SampleInfo>& Samples() {
  static const std::vector<SampleInfo>& samples = *new std::vector<SampleInfo>([] {
    std::vector<SampleInfo> all;
    all.push_back({"right-keeper", "", "replicaset",
                   "Keeps the pods of ReplicaSets by fixed names, whatever happens.",
                   &MakeSample<Keeper>});
    for (SampleList (*list)() :
         {&EdgeSamples, &TombstoneSamples, &ReadbackSamples, &RequeueSamples, &PredicateSamples,
          &VersionsSamples, &RetrySamples, &StartSamples, &DoneSamples, &IdentitySamples,
          &CleanupSamples, &ExpectationSamples})
      for (const SampleInfo& one : list()) all.push_back(one);
    return all;
  }());
  return samples;
}

const SampleInfo* FindSample(std::string_view name) {
  for (const SampleInfo& sample : Samples())
    if (sample.name == name) return &sample;
  return nullptr;
}

}  // namespace ksim::controllers
