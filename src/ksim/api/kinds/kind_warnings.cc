#include "ksim/api/kinds/kind_warnings.h"

#include <fmt/format.h>

#include "ksim/api/core/by_kind.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_warnings.h"

namespace ksim::api {

using value::Path;
using value::Value;

namespace {

struct Workload {
  std::string_view group;
  std::string_view kind;
  bool names_pods;  // the warning about its name
  std::string_view tmpl = "spec.template";
};
constexpr Workload kWorkloads[] = {{"apps", "ReplicaSet", true},
                                   {"apps", "Deployment", true},
                                   {"apps", "DaemonSet", false},
                                   {"apps", "StatefulSet", false},
                                   {"", "ReplicationController", true},
                                   {"batch", "Job", true},
                                   {"batch", "CronJob", true, "spec.jobTemplate.spec.template"}};

const Workload* Find(const ResourceInfo& kind) {
  static const ByKind<Workload> workloads(kWorkloads);
  return workloads.Find(kind);
}

const Value& TemplateOf(const Workload& workload, const Value& tree) {
  const Value& spec = tree.Get("spec");
  if (workload.kind != "CronJob") return spec.Get("template");
  return spec.Get("jobTemplate").Get("spec").Get("template");
}

}  // namespace

std::vector<std::string> WarningsOnCreate(const ResourceInfo& kind, const Value& tree,
                                          Compat compat) {
  static const Path kName{"metadata", "name"};
  if (!kind.custom && kind.group.empty() && kind.kind == "Pod") return PodWarnings(tree, compat);
  std::vector<std::string> warnings;
  const Workload* const workload = Find(kind);
  if (workload == nullptr) return warnings;
  const NameProblems problems = Dns1123Label(tree.Get(kName).AsString(), compat);
  if (workload->names_pods && !problems.empty()) {
    warnings.push_back(
        fmt::format("metadata.name: this is used in Pod names and hostnames, which can result in "
                    "surprising behavior; a DNS label is recommended: [{}]",
                    fmt::join(problems, " ")));
  }
  for (std::string& text : PodTemplateWarnings(TemplateOf(*workload, tree), workload->tmpl, compat))
    warnings.push_back(std::move(text));
  return warnings;
}

std::vector<std::string> WarningsOnUpdate(const ResourceInfo& kind, const Value& tree,
                                          const Value& old, Compat compat) {
  static const Path kGeneration{"metadata", "generation"};
  const Workload* const workload = Find(kind);
  if (workload == nullptr || tree.Get(kGeneration) == old.Get(kGeneration)) return {};
  const Value& now = TemplateOf(*workload, tree);
  if (workload->kind == "DaemonSet" && now == TemplateOf(*workload, old)) return {};
  return PodTemplateWarnings(now, workload->tmpl, compat);
}

}  // namespace ksim::api
