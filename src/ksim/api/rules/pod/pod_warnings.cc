#include "ksim/api/rules/pod/pod_warnings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/container_warnings.h"
#include "ksim/api/rules/pod/placement_warnings.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

using Deprecated = std::pair<std::string_view, std::string_view>;

constexpr Deprecated kOldAnnotations[] = {
    {"scheduler.alpha.kubernetes.io/critical-pod",
     "non-functional in v1.16+; use the \"priorityClassName\" field instead"},
    {"security.alpha.kubernetes.io/sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"},
    {"security.alpha.kubernetes.io/unsafe-sysctls",
     "non-functional in v1.11+; use the \"sysctls\" field instead"}};

constexpr Deprecated kOldVolumes[] = {
    {"photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"},
    {"gitRepo", "deprecated in v1.11"},
    {"scaleIO", "deprecated in v1.16, non-functional in v1.22+"},
    {"flocker", "deprecated in v1.22, non-functional in v1.25+"},
    {"storageos", "deprecated in v1.22, non-functional in v1.25+"},
    {"quobyte", "deprecated in v1.22, non-functional in v1.25+"},
    {"glusterfs", "deprecated in v1.25, non-functional in v1.26+"},
    {"cephfs", "deprecated in v1.28, non-functional in v1.31+"},
    {"rbd", "deprecated in v1.28, non-functional in v1.31+"}};

void WarnOfAnnotations(const Value& metadata, PodWarningList* warnings) {
  const Value& annotations = metadata.Get(Fields().annotations);
  for (const auto& [key, text] : kOldAnnotations) {
    if (annotations.Has(key))
      warnings->Add(warnings->Path(fmt::format("metadata.annotations[{}]", key)), text);
  }
}

void WarnOfVolumes(const Value& spec, PodWarningList* warnings) {
  const Value& volumes = spec.Get(Fields().volumes);
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    for (const auto& [source, text] : kOldVolumes) {
      if (!volumes.at(i).Get(source).is_object()) continue;
      const bool off = source == "gitRepo" && warnings->profile().warns_git_repo_is_off;
      warnings->Add(warnings->Path(fmt::format("spec.volumes[{}].{}", i,
                                               source == "storageos" ? "storageOS" : source)),
                    fmt::format("{}{}", text, off ? ", and disabled by default in v1.33+" : ""));
    }
  }
}

void WarnOfRepeated(const Value& spec, Atom list, Atom field, std::string_view word,
                    PodWarningList* warnings) {
  const Value& items = spec.Get(list);
  for (std::size_t i = 1; i < items.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (FieldText(items.at(j), field) != FieldText(items.at(i), field)) continue;
      warnings->Add(warnings->Path(fmt::format("spec.{}[{}].{}", list.text(), i, word)),
                    fmt::format("duplicate {} {}", word, GoQuote(FieldText(items.at(i), field))));
      break;
    }
  }
}

void WarnOfEmptyPullSecrets(const Value& spec, PodWarningList* warnings) {
  const Value& secrets = spec.Get(Fields().image_pull_secrets);
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    if (FieldText(secrets.at(i), Fields().name).empty())
      warnings->Add(warnings->Path(fmt::format("spec.imagePullSecrets[{}].name", i)),
                    "invalid empty name \"\"");
  }
}

void WarnOfOverhead(const Value& overhead, PodWarningList* warnings) {
  if (!overhead.is_object()) return;
  const std::string path = warnings->Path("spec.overhead");
  WarnOfFraction(overhead, "memory", path, warnings);
  WarnOfFraction(overhead, "ephemeral-storage", path, warnings);
}

// warningsForPodSpecAndMeta, in its order.
std::vector<std::string> Warnings(const Value& object, std::string_view prefix, Compat compat) {
  const Value& metadata = object.Get(Fields().metadata);
  const Value& spec = object.Get(Fields().spec);
  PodWarningList warnings(prefix, compat);
  WarnOfNodeLabels(spec, &warnings);
  WarnOfSpread(spec, &warnings);
  WarnOfAnnotations(metadata, &warnings);
  WarnOfVolumes(spec, &warnings);
  WarnOfRepeated(spec, Fields().host_aliases, Fields().ip, "ip", &warnings);
  WarnOfRepeated(spec, Fields().image_pull_secrets, Fields().name, "name", &warnings);
  WarnOfEmptyPullSecrets(spec, &warnings);
  WarnOfOverhead(spec.Get(Fields().overhead), &warnings);
  WarnOfContainers(spec, &warnings);
  if (spec.Get(Fields().termination_grace_period_seconds).AsInt() < 0) {
    warnings.Add(warnings.Path("spec.terminationGracePeriodSeconds"),
                 "must be >= 0; negative values are invalid and will be treated as 1");
  }
  WarnOfPodAffinity(spec, Fields().pod_affinity, warnings.Path("spec.affinity.podAffinity"),
                    &warnings);
  WarnOfPodAffinity(spec, Fields().pod_anti_affinity,
                    warnings.Path("spec.affinity.podAntiAffinity"), &warnings);
  return warnings.Take();
}

}  // namespace

std::vector<std::string> PodWarnings(const Value& pod, Compat compat) {
  std::vector<std::string> out;
  const NameProblems problems =
      Dns1123Label(FieldText(pod.Get(Fields().metadata), Fields().name), compat);
  if (!problems.empty() && ProfileOf(compat).warns_of_pod_names) {
    out.push_back(
        fmt::format("metadata.name: this is used in the Pod's hostname, which can result "
                    "in surprising behavior; a DNS label is recommended: {}",
                    GoPlainSlice(problems)));
  }
  for (std::string& text : Warnings(pod, "", compat)) out.push_back(std::move(text));
  return out;
}

std::vector<std::string> PodTemplateWarnings(const Value& pod_template, std::string_view path,
                                             Compat compat) {
  return Warnings(pod_template, fmt::format("{}.", path), compat);
}

}  // namespace ksim::api
