#include "ksim/scenario/fault_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ksim::scenario {
namespace {

using value::YamlNode;

std::vector<std::string> ServerNames(const ClusterSpec& cluster) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < cluster.api_servers; ++i)
    names.push_back(fmt::format("kube-apiserver-{}", i));
  return names;
}

std::vector<std::string> ProcessNames(const ClusterSpec& cluster,
                                      const std::vector<std::string>& nodes) {
  std::vector<std::string> names{"kubectl", "etcd", "kube-scheduler"};
  for (std::string& name : cluster.ControllerProcesses()) names.push_back(std::move(name));
  for (std::string& name : ServerNames(cluster)) names.push_back(std::move(name));
  for (const std::string& node : nodes) names.push_back("kubelet/" + node);
  return names;
}

// The name must be one of `known`.
void CheckTarget(MappingReader& args, std::string_view field, const std::vector<std::string>& known,
                 std::string_view what) {
  if (!args.Has(field)) return;
  const std::string name = args.String(field);
  if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
  args.problems().Error(args.Find(field)->span,
                        fmt::format("there is no {} \"{}\" in this cluster", what, name),
                        Suggest(name, {known.begin(), known.end()}));
}

void CheckEnum(MappingReader& args, std::string_view field,
               const std::vector<std::string_view>& known) {
  if (!args.Has(field)) return;
  const std::string value = args.String(field);
  if (value.empty() || std::find(known.begin(), known.end(), value) != known.end()) return;
  args.problems().Error(args.Find(field)->span,
                        fmt::format("{} cannot be \"{}\"", args.PathTo(field), value),
                        Suggest(value, known));
}

void CheckBetween(MappingReader& args, const std::vector<std::string>& processes) {
  if (!args.Has("between")) return;
  const std::vector<const YamlNode*> pair = args.List("between");
  if (pair.size() != 2)
    args.problems().Error(args.Find("between")->span,
                          fmt::format("{} wants two processes", args.PathTo("between")));
  for (const YamlNode* item : pair) {
    if (std::find(processes.begin(), processes.end(), item->text) != processes.end()) continue;
    args.problems().Error(item->span,
                          fmt::format("there is no process \"{}\" in this cluster", item->text),
                          Suggest(item->text, {processes.begin(), processes.end()}));
  }
}

// What a verb cannot do without.
struct Needs {
  std::string_view verb;
  std::array<std::string_view, 3> fields;  // "" = no more
};
constexpr Needs kNeeds[] = {{"dropWatch", {"client", "resource"}},
                            {"delayStream", {"client", "resource", "by"}},
                            {"holdStream", {"client", "resource"}},
                            {"releaseStream", {"client", "resource"}},
                            {"stallHandler", {"actor", "resource"}},
                            {"expire", {"client", "resource"}},
                            {"freezeCache", {"server", "resource"}},
                            {"thawCache", {"server", "resource"}},
                            {"reinitCache", {"server", "resource"}},
                            {"restart", {"process"}},
                            {"crash", {"process"}},
                            {"failover", {"process"}},
                            {"connect", {"client", "server"}},
                            {"pause", {"actor"}},
                            {"resume", {"actor"}},
                            {"rejectWrite", {"client"}},
                            {"timeoutWrite", {"client"}},
                            {"nodeSilent", {"node"}},
                            {"nodeTrouble", {"node", "with"}},
                            {"serverDown", {"server"}},
                            {"partition", {"between"}},
                            {"skewClock", {"process", "by"}}};

void CheckNeeds(MappingReader& args, std::string_view verb) {
  for (const Needs& needs : kNeeds) {
    if (needs.verb != verb) continue;
    for (std::string_view field : needs.fields)
      if (!field.empty() && !args.Has(field))
        args.problems().Error(args.node().span, args.PathTo(field) + " is missing");
  }
}

void CheckTimes(MappingReader& args, std::string_view verb) {
  for (std::string_view field : {"for", "by", "down", "redialAfter"}) {
    const bool behind = verb == "skewClock" && field == "by";
    args.OptionalDuration(field, behind ? Sign::kAny : Sign::kNotNegative);
  }
}

void CheckCode(MappingReader& args) {
  const std::optional<std::int64_t> code = args.OptionalInteger("code", 1);
  if (code && (*code < 400 || *code > 599))
    args.problems().Error(args.Find("code")->span,
                          fmt::format("{} must be 400 to 599, got {}", args.PathTo("code"), *code));
}

// Only replicas of a controller elect a leader.
void CheckFailover(MappingReader& args, const ClusterSpec& cluster) {
  std::vector<std::string> names;
  for (const auto& [controller, replicas] : cluster.replicated) {
    if (replicas < 2) continue;
    const std::string base = ReplicaBaseName(controller);
    names.push_back(base);
    for (std::int64_t i = 0; i < replicas; ++i) names.push_back(fmt::format("{}-{}", base, i));
  }
  const std::string name = args.String("process");
  if (!names.empty()) CheckTarget(args, "to", names, "replica");
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  if (names.empty())
    args.problems().Error(args.Find("process")->span,
                          fmt::format("\"{}\" has no other replica to take over", name),
                          "give it some: cluster.controllers: [{name: \"*\", replicas: 2}]");
  else
    CheckTarget(args, "process", names, "replica");
}

}  // namespace

std::vector<std::string> AllNodes(const ClusterSpec& cluster, const std::vector<Step>& steps) {
  std::vector<std::string> nodes = cluster.NodeNames();
  for (const Step& step : steps) {
    if (step.kind != StepKind::kAddNode) continue;
    for (std::string& name : step.node.Names()) nodes.push_back(std::move(name));
  }
  return nodes;
}

void CheckFaultArguments(ParseContext& context, MappingReader& args, std::string_view verb,
                         const ClusterSpec& cluster, const std::vector<std::string>& nodes) {
  const std::vector<std::string> processes = ProcessNames(cluster, nodes);
  CheckNeeds(args, verb);
  if (verb == "failover") CheckFailover(args, cluster);
  for (std::string_view field : {"client", "process"})
    if (verb != "failover") CheckTarget(args, field, processes, "process");
  CheckTarget(args, "server", ServerNames(cluster), "API server");
  CheckTarget(args, "node", nodes, "node");
  CheckBetween(args, processes);
  CheckTimes(args, verb);
  CheckCode(args);
  args.OptionalInteger("afterWrite", 1);
  args.OptionalInteger("window", 1);
  args.Bool("applied", false);
  CheckEnum(args, "how", {"eof", "error"});
  CheckEnum(args, "with", {"memory", "disk", "pids", "network"});
  CheckEnum(args, "before", {"read", "write"});
  CheckEnum(args, "verb", {"create", "update", "patch", "delete", "deletecollection"});
  if (args.Has("actor")) {
    const std::string actor = args.String("actor");
    const std::string process = actor.substr(0, actor.find('/'));
    const bool known = std::any_of(processes.begin(), processes.end(), [&](const std::string& p) {
      return p == actor || p == process;
    });
    if (!known && !actor.empty())
      args.problems().Error(args.Find("actor")->span,
                            fmt::format("there is no actor \"{}\" in this cluster", actor),
                            Suggest(actor, {processes.begin(), processes.end()}));
  }
  if (args.Has("resource")) {
    std::string resource, name;
    ReadResource(context, args, &resource, &name, false);
  }
  const YamlNode* revision = args.Find("revision");
  if (verb == "compact" && revision != nullptr && revision->text != "head")
    args.OptionalInteger("revision", 1);
}

}  // namespace ksim::scenario
