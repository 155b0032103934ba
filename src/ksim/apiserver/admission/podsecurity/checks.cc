#include "ksim/apiserver/admission/podsecurity/checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "ksim/apiserver/admission/podsecurity/check_parts.h"

namespace ksim::apiserver::podsecurity {
namespace {

// The register: baseline first, each level in the order of upstream's ids.

constexpr int kNever = std::numeric_limits<int>::max();

struct Check {
  Level level;
  Result (*run)(const Pod&);
  int since = 0;
  int overridden_since = kNever;  // a restricted check takes the place of it
};

constexpr Check kChecks[] = {
    {Level::kBaseline, AppArmorProfile},
    {Level::kBaseline, CapabilitiesBaseline, 0, 22},
    {Level::kBaseline, HostNamespaces},
    {Level::kBaseline, HostPathVolumes, 0, 0},
    {Level::kBaseline, HostPorts},
    {Level::kBaseline, HostProbes, 34},
    {Level::kBaseline, Privileged},
    {Level::kBaseline, ProcMount, 0, 35},
    {Level::kBaseline, SeLinuxOptions},
    {Level::kBaseline, SeccompProfileBaseline, 0, 19},
    {Level::kBaseline, Sysctls},
    {Level::kBaseline, WindowsHostProcess},
    {Level::kRestricted, AllowPrivilegeEscalation, 8},
    {Level::kRestricted, CapabilitiesRestricted, 22},
    {Level::kRestricted, ProcMountAlways, 35},
    {Level::kRestricted, RestrictedVolumes},
    {Level::kRestricted, RunAsNonRoot},
    {Level::kRestricted, RunAsUser, 23},
    {Level::kRestricted, SeccompProfileRestricted, 19},
};

}  // namespace

std::string Verdict::Reason() const { return fmt::format("{}", fmt::join(reasons, ", ")); }

std::string Verdict::Detail() const {
  std::string out;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    out += reasons[i];
    if (!details[i].empty()) out += fmt::format(" ({})", details[i]);
    if (i + 1 != reasons.size()) out += ", ";
  }
  return out;
}

Verdict Evaluate(const LevelVersion& level, int newest, const Value& metadata, const Value& spec) {
  Verdict verdict;
  const bool late = level.minor == LevelVersion::kLatest || level.minor > newest;
  const Pod pod(metadata, spec, late ? newest : level.minor, newest);
  for (const Check& check : kChecks) {
    if (check.level > level.level || check.since > pod.minor) continue;
    if (level.level == Level::kRestricted && check.overridden_since <= pod.minor) continue;
    const Result result = check.run(pod);
    if (!result) continue;
    verdict.reasons.push_back(result->reason);
    verdict.details.push_back(result->detail);
  }
  return verdict;
}

}  // namespace ksim::apiserver::podsecurity
