#include "ksim/cli/scenario_flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <string_view>

#include "absl/strings/numbers.h"
#include "ksim/api/compat.h"

namespace ksim::cli {

std::string CompatComplaint(const std::string& value) {
  if (api::ParseCompat(value)) return "";
  std::vector<std::string_view> known;
  for (const api::Compat c : api::kCompats) known.push_back(api::ToString(c));
  return fmt::format("\"{}\" is none of {}", value, fmt::join(known, ", "));
}

void AddScenarioFlags(FlagSet& set, ScenarioFlags& flags) {
  set.Add("--seed", &flags.seed, "Seed of every draw; default the scenario's")
      .Type("N")
      .Check([](const std::string& value) -> std::string {
        std::int64_t number = 0;
        if (absl::SimpleAtoi(value, &number) && number >= 0) return "";
        return fmt::format("\"{}\" is no seed: a whole number from 0 to {}", value,
                           std::numeric_limits<std::int64_t>::max());
      });
  set.Add("--compat", &flags.compat, "The version of Kubernetes; default the scenario's")
      .Type("VERSION")
      .Check(CompatComplaint);
  AddSetFlag(set, &flags.set, "Sets a field of the scenario: cluster.nodes=5; may be repeated");
  set.Add("--from", &flags.from,
          "The state that the cluster begins with: what `kubectl get -A -o yaml` printed")
      .Type("FILE")
      .NotEmpty("file");
  set.Add("--create-namespaces", &flags.create_namespaces,
          "Makes the namespaces that plain manifests are in and nobody makes");
  set.Add("--strict", &flags.strict, "Warnings, and triggers that never come, are errors");
}

void AddSetFlag(FlagSet& set, std::vector<std::string>* values, std::string help) {
  set.Add("--set", values, std::move(help)).Type("PATH=VALUE").Repeated();
}

scenario::LoadOptions LoadOptionsOf(const ScenarioFlags& flags, const Program& program) {
  scenario::LoadOptions options;
  options.program = program.registry;
  options.seed = flags.seed;
  options.set = flags.set;
  if (!flags.compat.empty()) options.set.push_back("compat=" + flags.compat);
  options.strict = flags.strict;
  options.from = flags.from;
  options.create_namespaces = flags.create_namespaces;
  return options;
}

}  // namespace ksim::cli
