#include "ksim/scenario/fault_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ksim/scenario/controller_parts.h"

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

bool IsServer(const ClusterSpec& cluster, const std::string& name) {
  const std::vector<std::string> servers = ServerNames(cluster);
  return std::find(servers.begin(), servers.end(), name) != servers.end();
}

// Only an API server is spoken to, by its clients, and speaks to etcd.
void CheckSpeaks(MappingReader& args, const YamlNode& a, const YamlNode& b,
                 const ClusterSpec& cluster) {
  if (a.text == b.text)
    args.problems().Error(
        b.span, fmt::format("{} wants two processes, not one with itself", args.PathTo("between")));
  else if (IsServer(cluster, a.text) == IsServer(cluster, b.text))
    args.problems().Error(args.Find("between")->span,
                          fmt::format("{} and {} send each other nothing", a.text, b.text),
                          "one of the two has to be an API server");
}

void CheckBetween(MappingReader& args, const std::vector<std::string>& processes,
                  const ClusterSpec& cluster) {
  if (!args.Has("between")) return;
  const std::vector<const YamlNode*> pair = args.List("between");
  bool good = pair.size() == 2;
  if (!good)
    args.problems().Error(args.Find("between")->span,
                          fmt::format("{} wants two processes", args.PathTo("between")));
  for (const YamlNode* item : pair) {
    if (std::find(processes.begin(), processes.end(), item->text) != processes.end()) continue;
    good = false;
    args.problems().Error(item->span,
                          fmt::format("there is no process \"{}\" in this cluster", item->text),
                          Suggest(item->text, {processes.begin(), processes.end()}));
  }
  if (good) CheckSpeaks(args, *pair[0], *pair[1], cluster);
}

// What API servers and etcd write is what others have asked for.
void CheckAfterWrite(MappingReader& args, const ClusterSpec& cluster) {
  args.OptionalInteger("afterWrite", 1);
  const std::string process = args.Has("process") ? args.Find("process")->text : "";
  if (args.Has("afterWrite") && (process == "etcd" || IsServer(cluster, process)))
    args.problems().Error(args.Find("afterWrite")->span,
                          fmt::format("{} writes nothing of its own", process),
                          "afterWrite is for clients of API servers");
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

// Text that says nothing names nothing.
void CheckNotEmpty(MappingReader& args) {
  for (const YamlNode::Entry& e : args.node().entries)
    if (e.value.kind == YamlNode::Kind::kScalar && !IsNull(e.value) && e.value.text.empty())
      args.problems().Error(e.value.span, args.PathTo(e.key) + " must not be empty");
}

// etcd asks nobody anything, and an API server nobody but etcd.
void CheckIsClient(MappingReader& args, std::string_view verb, const ClusterSpec& cluster) {
  const bool streams = verb == "dropWatch" || verb == "delayStream" || verb == "holdStream" ||
                       verb == "releaseStream";
  const std::string client = args.Has("client") ? args.String("client") : "";
  const bool server = IsServer(cluster, client);
  if (client == "etcd" || (server && !streams))
    args.problems().Error(args.Find("client")->span,
                          fmt::format("{} is no client of an API server", client));
  for (std::string_view field : {"window", "how", "redialAfter"})
    if (server && args.Has(field))
      args.problems().Error(args.Find(field)->span,
                            args.PathTo(field) + " is for clients of API servers only");
}

// Gates and handler queues are a client's: what serves has none.
void CheckActor(ParseContext& context, MappingReader& args, std::string_view verb,
                const ClusterSpec& cluster, const std::vector<std::string>& processes) {
  if (!args.Has("actor")) return;
  const std::string actor = args.String("actor");
  std::vector<std::string> serving = ServerNames(cluster);
  serving.emplace_back("etcd");
  if (std::find(serving.begin(), serving.end(), actor) != serving.end()) {
    args.problems().Error(
        args.Find("actor")->span,
        fmt::format("{} works on clients of API servers, which {} is not", verb, actor),
        verb == "pause" ? "crash: {process: " + actor + ", down: 10s} stops it" : "");
    return;
  }
  std::vector<std::string> known = processes;
  for (std::string& part : ControllerParts(cluster, context.compat))
    known.push_back(std::move(part));
  CheckTarget(args, "actor", known, "actor");
}

void CheckResource(ParseContext& context, MappingReader& args) {
  if (!args.Has("resource")) return;
  std::string resource, name;
  const std::size_t before = context.problems.errors.size();
  ReadResource(context, args, &resource, &name, false);
  const std::string text = args.Find("resource")->text;
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos && context.problems.errors.size() == before)
    args.problems().Error(
        args.Find("resource")->span,
        fmt::format("{} is a type, not an object, got \"{}\"", args.PathTo("resource"), text),
        fmt::format("write {}", text.substr(0, slash)));
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

void CheckFaultNeeds(MappingReader& args, std::string_view verb, const Span& span) {
  for (const Needs& needs : kNeeds) {
    if (needs.verb != verb) continue;
    for (std::string_view field : needs.fields)
      if (!field.empty() && !args.Has(field))
        args.problems().Error(span, args.PathTo(field) + " is missing");
  }
}

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
  CheckFaultNeeds(args, verb, args.node().span);
  CheckNotEmpty(args);
  if (verb == "failover") CheckFailover(args, cluster);
  for (std::string_view field : {"client", "process"})
    if (verb != "failover") CheckTarget(args, field, processes, "process");
  CheckTarget(args, "server", ServerNames(cluster), "API server");
  CheckTarget(args, "node", nodes, "node");
  CheckBetween(args, processes, cluster);
  CheckTimes(args, verb);
  CheckCode(args);
  CheckAfterWrite(args, cluster);
  args.OptionalInteger("window", 1);
  args.Bool("applied", false);
  CheckEnum(args, "how", {"eof", "error"});
  CheckEnum(args, "with", {"memory", "disk", "pids", "network"});
  CheckEnum(args, "before", {"read", "write"});
  CheckEnum(args, "verb", {"create", "update", "patch", "delete", "deletecollection"});
  CheckIsClient(args, verb, cluster);
  CheckActor(context, args, verb, cluster, processes);
  CheckResource(context, args);
  const YamlNode* revision = args.Find("revision");
  if (verb == "compact" && revision != nullptr && revision->text != "head")
    args.OptionalInteger("revision", 1);
}

}  // namespace ksim::scenario
