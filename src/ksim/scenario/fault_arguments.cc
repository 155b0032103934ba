#include "ksim/scenario/fault_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/fault/clock_rate.h"
#include "ksim/scenario/controller_parts.h"

namespace ksim::scenario {
namespace {

using fault::ArgumentKind;
using value::YamlNode;

std::vector<std::string> ServerNames(const ClusterSpec& cluster) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < cluster.api_servers; ++i)
    names.push_back(fmt::format("kube-apiserver-{}", i));
  return names;
}

std::vector<std::string> ProcessNames(const ClusterSpec& cluster,
                                      const std::vector<std::string>& nodes) {
  std::vector<std::string> names{"kubectl", "etcd"};
  if (cluster.Runs("kube-scheduler")) names.emplace_back("kube-scheduler");
  for (std::string& name : cluster.ControllerProcesses()) names.push_back(std::move(name));
  for (std::string& name : cluster.GuestProcesses()) names.push_back(std::move(name));
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
  if (name.starts_with(kOutside)) return;
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

// Every message goes to or from an API server: from its clients, or to etcd.
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
    if (item->text.starts_with(kOutside)) continue;
    good = false;
    args.problems().Error(item->span,
                          fmt::format("there is no process \"{}\" in this cluster", item->text),
                          Suggest(item->text, {processes.begin(), processes.end()}));
  }
  if (good) CheckSpeaks(args, *pair[0], *pair[1], cluster);
}

// API servers and etcd write only what others have asked for.
void CheckAfterWrite(MappingReader& args, const ClusterSpec& cluster) {
  args.OptionalInteger("afterWrite", 1);
  const std::string process = args.Has("process") ? args.Find("process")->text : "";
  if (args.Has("afterWrite") && (process == "etcd" || IsServer(cluster, process)))
    args.problems().Error(args.Find("afterWrite")->span,
                          fmt::format("{} writes nothing of its own", process),
                          "afterWrite is for clients of API servers");
}

// An empty text names nothing.
void CheckNotEmpty(MappingReader& args) {
  for (const YamlNode::Entry& e : args.node().entries)
    if (e.value.kind == YamlNode::Kind::kScalar && !IsNull(e.value) && e.value.text.empty())
      args.problems().Error(e.value.span, args.PathTo(e.key) + " must not be empty");
}

// etcd sends nobody requests, and an API server only etcd.
void CheckIsClient(MappingReader& args, const fault::Argument& argument,
                   const ClusterSpec& cluster) {
  const std::string client = args.Has(argument.name) ? args.String(argument.name) : "";
  const bool watches = argument.kind == ArgumentKind::kWatcher;
  if (client == "etcd" || (IsServer(cluster, client) && !watches))
    args.problems().Error(args.Find(argument.name)->span,
                          fmt::format("{} is no client of an API server", client));
}

// Some arguments say nothing to an API server that watches etcd.
void CheckOnlyForClients(MappingReader& args, const fault::FaultVerb& verb,
                         const ClusterSpec& cluster) {
  const YamlNode* client = args.Find("client");
  if (client == nullptr || !IsServer(cluster, client->text)) return;
  for (const fault::Argument& a : verb.arguments)
    if (a.only_for_clients && args.Has(a.name))
      args.problems().Error(args.Find(a.name)->span,
                            args.PathTo(a.name) + " is for clients of API servers only");
}

// The cluster by which the names in a fault are judged.
struct Known {
  ParseContext& context;
  const ClusterSpec& cluster;
  const std::vector<std::string>& nodes;
  std::vector<std::string> processes;
};

// Gates and handler queues belong to clients: a process that serves has none.
void CheckActor(const Known& known, MappingReader& args, const fault::FaultVerb& verb,
                const fault::Argument& argument) {
  if (!args.Has(argument.name)) return;
  const std::string actor = args.String(argument.name);
  std::vector<std::string> serving = ServerNames(known.cluster);
  serving.emplace_back("etcd");
  if (std::find(serving.begin(), serving.end(), actor) != serving.end()) {
    std::string instead(argument.instead);
    if (!instead.empty()) instead.replace(instead.find("{}"), 2, actor);
    args.problems().Error(
        args.Find(argument.name)->span,
        fmt::format("{} works on clients of API servers, which {} is not", verb.name, actor),
        std::move(instead));
    return;
  }
  std::vector<std::string> actors = known.processes;
  for (std::string& part : ControllerParts(known.cluster, known.context.compat))
    actors.push_back(std::move(part));
  CheckTarget(args, argument.name, actors, "actor");
}

void CheckResource(ParseContext& context, MappingReader& args) {
  if (!args.Has("resource")) return;
  // The name in traces needs no group: the faults that campaigns draw have it.
  if (context.kinds.KnownAs(args.String("resource")) != nullptr) return;
  // A client outside may bring the definition of a kind, whose group says that it is no slip.
  const std::string given = args.String("resource");
  if (args.Has("client") && args.String("client").starts_with(kOutside) &&
      given.find('.') != given.npos && context.kinds.ByName(given) == nullptr) {
    return;
  }
  std::string resource, name;
  const std::size_t before = context.problems.errors.size();
  ReadResource(context, args, &resource, &name, false);
  CheckIsStored(context, resource, args.Find("resource")->span, "faults strike all versions");
  const std::string text = args.Find("resource")->text;
  const std::size_t slash = text.find('/');
  if (slash != std::string::npos && context.problems.errors.size() == before)
    args.problems().Error(
        args.Find("resource")->span,
        fmt::format("{} is a type, not an object, got \"{}\"", args.PathTo("resource"), text),
        fmt::format("write {}", text.substr(0, slash)));
}

// An API server gives other codes of itself, where what they say is so.
void CheckCode(MappingReader& args, const fault::Argument& argument) {
  const std::optional<std::int64_t> code = args.OptionalInteger(argument.name, 1);
  const std::vector<int>& known = argument.codes;
  if (!code || std::find(known.begin(), known.end(), *code) != known.end()) return;
  args.problems().Error(args.Find(argument.name)->span,
                        fmt::format("{}: no API server answers a {} that it could do with {}",
                                    args.PathTo(argument.name), argument.answers, *code),
                        fmt::format("known: {}", fmt::join(known, ", ")));
}

// The names of all replicas that elect a leader, and the names that they share.
std::vector<std::string> ReplicaNames(const ClusterSpec& cluster) {
  std::vector<std::string> names;
  for (const auto& [controller, replicas] : cluster.replicated) {
    if (replicas < 2) continue;
    const std::string base = ReplicaBaseName(controller);
    names.push_back(base);
    for (std::int64_t i = 0; i < replicas; ++i) names.push_back(fmt::format("{}-{}", base, i));
  }
  return names;
}

void CheckReplica(MappingReader& args, std::string_view field, const ClusterSpec& cluster) {
  const std::vector<std::string> names = ReplicaNames(cluster);
  if (!names.empty()) CheckTarget(args, field, names, "replica");
}

// Only replicas of a controller elect a leader.
void CheckLeader(MappingReader& args, std::string_view field, const ClusterSpec& cluster) {
  const std::vector<std::string> names = ReplicaNames(cluster);
  const std::string name = args.String(field);
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  if (names.empty())
    args.problems().Error(args.Find(field)->span,
                          fmt::format("\"{}\" has no other replica to take over", name),
                          "give it some: cluster.controllers: [{name: \"*\", replicas: 2}]");
  else
    CheckTarget(args, field, names, "replica");
}

void CheckRevision(MappingReader& args, std::string_view field) {
  const YamlNode* revision = args.Find(field);
  if (revision != nullptr && revision->text != "head") args.OptionalInteger(field, 1);
}

void CheckRate(MappingReader& args, std::string_view field) {
  if (!args.Has(field)) return;
  const std::string rate = args.String(field);
  if (rate.empty() || fault::ParseClockRate(rate)) return;
  args.problems().Error(
      args.Find(field)->span,
      fmt::format("{} must be a percentage or a fraction, got \"{}\"", args.PathTo(field), rate),
      "write 98% or 1001/1000; a clock runs at most ten times as fast");
}

void CheckArgument(const Known& known, MappingReader& args, const fault::FaultVerb& verb,
                   const fault::Argument& a) {
  switch (a.kind) {
    case ArgumentKind::kDuration:
      args.OptionalDuration(a.name, Sign::kNotNegative);
      return;
    case ArgumentKind::kShift:
      args.OptionalDuration(a.name, Sign::kAny);
      return;
    case ArgumentKind::kCount:
      args.OptionalInteger(a.name, 1);
      return;
    case ArgumentKind::kWriteCount:
      return CheckAfterWrite(args, known.cluster);
    case ArgumentKind::kStatusCode:
      return CheckCode(args, a);
    case ArgumentKind::kFlag:
      args.Bool(a.name, false);
      return;
    case ArgumentKind::kRate:
      return CheckRate(args, a.name);
    case ArgumentKind::kRevision:
      return CheckRevision(args, a.name);
    case ArgumentKind::kWord:
      return CheckEnum(args, a.name, a.words);
    case ArgumentKind::kClient:
    case ArgumentKind::kWatcher:
      CheckTarget(args, a.name, known.processes, "process");
      return CheckIsClient(args, a, known.cluster);
    case ArgumentKind::kProcess:
      return CheckTarget(args, a.name, known.processes, "process");
    case ArgumentKind::kLeader:
      return CheckLeader(args, a.name, known.cluster);
    case ArgumentKind::kReplica:
      return CheckReplica(args, a.name, known.cluster);
    case ArgumentKind::kServer:
      return CheckTarget(args, a.name, ServerNames(known.cluster), "API server");
    case ArgumentKind::kActor:
      return CheckActor(known, args, verb, a);
    case ArgumentKind::kNode:
      return CheckTarget(args, a.name, known.nodes, "node");
    case ArgumentKind::kText:
      args.String(a.name);
      return;
    case ArgumentKind::kResource:
      return CheckResource(known.context, args);
    case ArgumentKind::kTwoProcesses:
      return CheckBetween(args, known.processes, known.cluster);
  }
}

}  // namespace

void CheckRequired(MappingReader& args, const fault::FaultVerb& verb, const Span& span) {
  for (const fault::Argument& a : verb.arguments)
    if (a.required && !args.Has(a.name))
      args.problems().Error(span, args.PathTo(a.name) + " is missing");
  std::vector<std::string_view> one_of;
  for (const fault::Argument& a : verb.arguments)
    if (a.one_of) one_of.push_back(a.name);
  const auto given = [&args](std::string_view name) { return args.Has(name); };
  if (!one_of.empty() && std::none_of(one_of.begin(), one_of.end(), given))
    args.problems().Error(
        span, args.PathTo(fmt::format("{}", fmt::join(one_of, " or "))) + " is missing");
}

std::vector<std::string> AllNodes(const ClusterSpec& cluster, const std::vector<Step>& steps) {
  std::vector<std::string> nodes = cluster.NodeNames();
  for (const Step& step : steps) {
    if (step.kind != StepKind::kAddNode) continue;
    for (std::string& name : step.node.Names()) nodes.push_back(std::move(name));
  }
  return nodes;
}

void CheckFaultArguments(ParseContext& context, MappingReader& args, const fault::FaultVerb& verb,
                         const ClusterSpec& cluster, const std::vector<std::string>& nodes) {
  CheckRequired(args, verb, args.node().span);
  CheckNotEmpty(args);
  const Known known{context, cluster, nodes, ProcessNames(cluster, nodes)};
  for (const fault::Argument& argument : verb.arguments) CheckArgument(known, args, verb, argument);
  CheckOnlyForClients(args, verb, cluster);
}

}  // namespace ksim::scenario
