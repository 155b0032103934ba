// The parts that the checks of the Pod Security Standards share, and their names.
//
// Source: k8s.io/pod-security-admission policy/helpers.go, visitor.go.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/value/value.h"

namespace ksim::apiserver::podsecurity {

using value::Value;
using Texts = std::vector<std::string>;
using TextSet = std::set<std::string>;

struct Forbidden {
  Forbidden() = default;
  Forbidden(std::string r, std::string d) : reason(std::move(r)), detail(std::move(d)) {}
  std::string reason, detail;
};
using Result = std::optional<Forbidden>;

struct Pod {
  Pod(const Value& m, const Value& s, int v, int n) : metadata(m), spec(s), minor(v), newest(n) {}
  const Value& metadata;
  const Value& spec;
  int minor;   // of the policy
  int newest;  // of the server's checks
  const Value& context() const { return spec.Get("securityContext"); }
  bool is_windows() const { return spec.Get("os").Get("name").AsString() == "windows"; }
  bool in_user_namespace() const {
    return spec.Has("hostUsers") && !spec.Get("hostUsers").AsBool();
  }
};

template <typename List>
std::string JoinQuote(const List& items) {
  return items.empty() ? "" : fmt::format("\"{}\"", fmt::join(items, "\", \""));
}

template <typename List>
std::string_view Plural(std::string_view one, std::string_view many, const List& items) {
  return items.size() == 1 ? one : many;
}

// container "a", containers "a", "b".
inline std::string Containers(const Texts& names) {
  return fmt::format("{} {}", Plural("container", "containers", names), JoinQuote(names));
}

// pod and containers "a", "b".
inline std::string Setters(bool pod, const Texts& names) {
  Texts all;
  if (pod) all.emplace_back("pod");
  if (!names.empty()) all.push_back(Containers(names));
  return fmt::format("{}", fmt::join(all, " and "));
}

// visitContainers.
template <typename Visit>
void VisitContainers(const Pod& pod, Visit visit) {
  for (const char* list : {"initContainers", "containers", "ephemeralContainers"})
    for (const Value& container : pod.spec.Get(list).items())
      visit(container, std::string(container.Get("name").AsString()));
}

// The containers of whose security context `is_bad` is true.
template <typename Test>
Texts BadContainers(const Pod& pod, Test is_bad) {
  Texts bad;
  VisitContainers(pod, [&](const Value& container, const std::string& name) {
    if (is_bad(container.Get("securityContext"))) bad.push_back(name);
  });
  return bad;
}

// From 1.35 on user namespaces relax some checks.
inline bool IsRelaxed(const Pod& pod) { return pod.minor >= 35 && pod.in_user_namespace(); }

// --- baseline: baseline_checks.cc ---
Result AppArmorProfile(const Pod& pod);
Result CapabilitiesBaseline(const Pod& pod);
Result HostNamespaces(const Pod& pod);
Result HostPathVolumes(const Pod& pod);
Result HostPorts(const Pod& pod);
Result HostProbes(const Pod& pod);
Result Privileged(const Pod& pod);
Result ProcMount(const Pod& pod);
Result SeLinuxOptions(const Pod& pod);
Result SeccompProfileBaseline(const Pod& pod);
Result Sysctls(const Pod& pod);
Result WindowsHostProcess(const Pod& pod);
// Both levels have these.
Result ProcMountAlways(const Pod& pod);
Result BadSeccompSetters(const Pod& pod);

// --- restricted: restricted_checks.cc ---
Result AllowPrivilegeEscalation(const Pod& pod);
Result CapabilitiesRestricted(const Pod& pod);
Result RestrictedVolumes(const Pod& pod);
Result RunAsNonRoot(const Pod& pod);
Result RunAsUser(const Pod& pod);
Result SeccompProfileRestricted(const Pod& pod);

}  // namespace ksim::apiserver::podsecurity
