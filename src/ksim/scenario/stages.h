// KWOK's Stage documents in scenarios and beside them: they configure the kubelets from the start
// of the run, and are no objects of the cluster.
#pragma once
#include <memory>
#include <vector>

#include "ksim/base/diagnostic.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/scenario.h"

namespace ksim::kubelet {
class StageSet;  // kubelet/stages/stage.h
}

namespace ksim::scenario {

// apiVersion kwok.x-k8s.io/..., kind Stage.
bool IsStage(const Manifest& manifest);
// Moves the Stages among `objects` to the end of `stages`.
void TakeStages(std::vector<Manifest>* objects, std::vector<Manifest>* stages);
// spec.cluster.stages: names of files, and Stages as they stand.
void ReadStagesField(ParseContext& context, MappingReader& cluster, ClusterSpec* spec);
// A step makes no Stage.
void RefuseStagesInSteps(const std::vector<Step>& steps, std::vector<Diagnostic>* errors);
// Every problem of the Stages at its place, down to the column in an expression or a template.
void CheckStages(const std::vector<Manifest>& stages, std::vector<Diagnostic>* errors,
                 std::vector<Diagnostic>* warnings);
// Null if there is none for pods. Those with problems are left out.
std::shared_ptr<const kubelet::StageSet> StagesOf(const ClusterSpec& cluster);

}  // namespace ksim::scenario
