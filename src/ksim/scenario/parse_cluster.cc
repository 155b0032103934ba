// spec.cluster.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/statusor.h"
#include "ksim/api/rules/ip_text.h"
#include "ksim/api/variants.h"
#include "ksim/base/status.h"
#include "ksim/controllers/registry.h"
#include "ksim/scenario/api_server_options.h"
#include "ksim/scenario/guests.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/size_bounds.h"
#include "ksim/scenario/stages.h"
#include "ksim/value/quantity.h"
#include "ksim/value/selector.h"

namespace ksim::scenario {
namespace {

using value::Quantity;
using value::YamlNode;

std::vector<NodeSpec> ParseNodes(ParseContext& context, const YamlNode& node) {
  if (node.kind == YamlNode::Kind::kSequence) {
    std::vector<NodeSpec> nodes;
    for (std::size_t i = 0; i < node.items.size(); ++i)
      nodes.push_back(ParseNode(context, node.items[i], fmt::format("spec.cluster.nodes[{}]", i),
                                /*fewest=*/0));
    std::int64_t all = 0;
    for (const NodeSpec& spec : nodes) all += spec.count;
    if (!CheckNodes(context.problems, node.span, "spec.cluster.nodes in all", all)) return {};
    return nodes;
  }
  const value::Value v = node.kind == YamlNode::Kind::kScalar ? node.ToValue() : value::Value();
  NodeSpec spec;
  if (v.is_int() && v.AsInt() < 0) {
    context.problems.Error(node.span,
                           fmt::format("spec.cluster.nodes must be at least 0, got {}", node.text));
  } else if (v.is_int()) {
    if (CheckNodes(context.problems, node.span, "spec.cluster.nodes", v.AsInt()))
      spec.count = v.AsInt();
  } else {
    context.problems.Error(
        node.span,
        fmt::format("spec.cluster.nodes must be an integer or a list, got {}", Describe(node)),
        "write a number, as in nodes: 3");
  }
  return {spec};
}

// A node of the list, at the item that names it once more.
void CheckUniqueNames(ParseContext& context, const YamlNode& list, const ClusterSpec& cluster) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < cluster.nodes.size() && i < list.items.size(); ++i) {
    const YamlNode* place = list.items[i].Find("name");
    if (place == nullptr) place = &list.items[i];
    for (const std::string& name : cluster.nodes[i].Names()) {
      if (seen.insert(name).second) continue;
      context.problems.Error(place->span, fmt::format("two nodes are called \"{}\"", name));
      break;
    }
  }
}

void ParseLatency(ParseContext& context, MappingReader& reader, ClusterSpec* cluster) {
  const YamlNode* node = reader.Find("network");
  if (node == nullptr) return;
  MappingReader network(context.problems, *node, NetworkType(), "spec.cluster.network");
  const YamlNode* range = network.Find("latency");
  if (range == nullptr) return;
  MappingReader latency(context.problems, *range, LatencyType(), "spec.cluster.network.latency");
  cluster->latency_min = latency.DurationOf("min", cluster->latency_min);
  cluster->latency_max =
      latency.DurationOf("max", std::max(cluster->latency_max, cluster->latency_min));
  if (cluster->latency_max < cluster->latency_min)
    context.problems.Error(range->span, "spec.cluster.network.latency wants 0 <= min <= max");
}

void ParseScheduler(ParseContext& context, MappingReader& reader, ClusterSpec* cluster) {
  const YamlNode* node = reader.Find("scheduler");
  if (node == nullptr) return;
  MappingReader scheduler(context.problems, *node, SchedulerType(), "spec.cluster.scheduler");
  cluster->percentage_of_nodes_to_score = scheduler.Integer("percentageOfNodesToScore", 0, 0);
  if (cluster->percentage_of_nodes_to_score > 100)
    context.problems.Error(
        scheduler.Find("percentageOfNodesToScore")->span,
        fmt::format("spec.cluster.scheduler.percentageOfNodesToScore must be 0 to 100, got {}",
                    cluster->percentage_of_nodes_to_score));
  ParseSchedulerGuest(context, scheduler, cluster);
}

void ParseVariants(ParseContext& context, MappingReader& reader, api::Compat compat,
                   ClusterSpec* cluster) {
  for (const auto& [name, value] : reader.Map("variants", false)) {
    const YamlNode::Entry* entry = reader.Find("variants")->FindEntry(name);
    const std::optional<api::VariantProblem> problem = api::CheckVariant(compat, name, value);
    if (problem) {
      context.problems.Error(problem->in_value ? entry->value.span : entry->key_span,
                             problem->message, problem->hint);
    } else {
      cluster->variants.emplace_back(name, value);
    }
  }
}

// A controller that ksim has may be missing in the scenario's version of Kubernetes.
void CheckController(ParseContext& context, const Span& span, std::string_view name) {
  CheckKnown(context.problems, span, name, ControllersOf(context.program.get()), "controller");
  const controllers::ControllerInfo* info = controllers::FindController(name);
  if (info == nullptr || info->make == nullptr) return;
  if (!info->IsIn(controllers::ProfileOf(context.compat)))
    context.problems.Error(span, fmt::format("Kubernetes {} has no controller {}",
                                             api::ToString(context.compat), name));
}

// Names, and mappings of a name and its replicas.
void ParseControllers(ParseContext& context, MappingReader& reader, ClusterSpec* cluster) {
  if (reader.Find("controllers")->kind == YamlNode::Kind::kMapping)
    return ParseControllersGuest(context, *reader.Find("controllers"), cluster);
  std::vector<std::string> names;
  int i = 0;
  for (const YamlNode* item : reader.List("controllers")) {
    const std::string where = fmt::format("{}[{}]", reader.PathTo("controllers"), i++);
    if (item->kind == YamlNode::Kind::kScalar && !IsNull(*item)) {
      names.push_back(item->text);
      continue;
    }
    if (item->kind != YamlNode::Kind::kMapping) {
      context.problems.Error(item->span,
                             fmt::format("{} must be a name or a mapping of name and replicas, "
                                         "got {}",
                                         where, Describe(*item)));
      continue;
    }
    MappingReader entry(context.problems, *item, ReplicatedType(), where);
    const std::string name = entry.RequiredString("name");
    const std::int64_t replicas = entry.Integer("replicas", 1, 1);
    if (entry.Has("replicas"))
      CheckControllerReplicas(context.problems, entry.Find("replicas")->span,
                              entry.PathTo("replicas"), replicas);
    if (name.empty()) continue;
    if (name == "*" && !cluster->Runs("kube-controller-manager"))
      context.problems.Error(entry.Find("name")->span,
                             "spec.cluster.components leaves kube-controller-manager out");
    if (name != "*") CheckController(context, entry.Find("name")->span, name);
    cluster->replicated.emplace_back(name, replicas);
  }
  CheckNames(reader, "controllers", ControllersOf(context.program.get()), "controller");
  cluster->controllers = std::move(names);
}

std::vector<DenySpec> ParseDeny(ParseContext& context, MappingReader& reader) {
  static const std::vector<std::string_view> verbs{
      "*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"};
  std::vector<DenySpec> rules;
  int i = 0;
  for (const YamlNode* item : reader.List("deny")) {
    MappingReader rule(context.problems, *item, DenyType(),
                       fmt::format("{}[{}]", reader.PathTo("deny"), i++));
    DenySpec d;
    d.user = rule.String("user");
    d.verb = rule.String("verb");
    d.resource = rule.String("resource");
    d.ns = rule.String("namespace");
    d.name = rule.String("name");
    if (!d.verb.empty() && std::find(verbs.begin(), verbs.end(), d.verb) == verbs.end())
      context.problems.Error(rule.Find("verb")->span, fmt::format("unknown verb \"{}\"", d.verb),
                             Suggest(d.verb, verbs));
    if (rule.is_mapping() && item->entries.empty())
      context.problems.Error(item->span, "a rule without fields would forbid everything",
                             "write {verb: \"*\"} if that is meant");
    rules.push_back(std::move(d));
  }
  return rules;
}

// A process of the user's must not be called like one that is there anyway.
bool IsTaken(const std::string& name, const ClusterSpec& cluster) {
  static constexpr std::string_view kAlways[] = {"kubectl", "etcd", "kube-scheduler",
                                                 "kube-controller-manager", "ksim"};
  if (std::find(std::begin(kAlways), std::end(kAlways), name) != std::end(kAlways)) return true;
  for (const auto& [controller, replicas] : cluster.replicated) {
    const std::string base = ReplicaBaseName(controller);
    if (name == base || name.starts_with(base + "-")) return true;
  }
  for (const auto& [own, parts] : cluster.OwnProcesses())
    if (name == own) return true;
  return name.starts_with("kube-apiserver-");
}

void CheckProcessName(ParseContext& context, const YamlNode::Entry& e, const ClusterSpec& cluster) {
  const bool plain =
      !e.key.empty() &&
      e.key.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string::npos;
  if (!plain)
    context.problems.Error(
        e.key_span, fmt::format("\"{}\" is no name of a process: lower case letters, digits, "
                                "- and .",
                                e.key));
  else if (IsTaken(e.key, cluster))
    context.problems.Error(e.key_span, fmt::format("there is a process \"{}\" already", e.key),
                           "give it a name of its own, as in rs: [replicaset]");
}

void ParseProcesses(ParseContext& context, MappingReader& reader, ClusterSpec* cluster) {
  const YamlNode* node = reader.Find("processes");
  if (node == nullptr) return;
  if (node->kind != YamlNode::Kind::kMapping) {
    reader.WrongType("processes", "a mapping of lists");
    return;
  }
  for (const YamlNode::Entry& e : node->entries) {
    CheckProcessName(context, e, *cluster);
    std::vector<std::string> names;
    for (const YamlNode& item : e.value.items) {
      names.push_back(item.text);
      CheckController(context, item.span, item.text);
    }
    if (e.value.kind != YamlNode::Kind::kSequence)
      context.problems.Error(e.value.span,
                             fmt::format("spec.cluster.processes.{} must be a list of controllers, "
                                         "got {}",
                                         e.key, Describe(e.value)),
                             fmt::format("write [{}]", e.value.text));
    for (const auto& [name, replicas] : cluster->replicated)
      if (std::find(names.begin(), names.end(), name) != names.end())
        context.problems.Error(
            e.key_span,
            fmt::format("controller \"{}\" has replicas, each a process already", name));
    cluster->processes.emplace_back(e.key, std::move(names));
  }
}

void ParseAuthorization(ParseContext& context, MappingReader& reader, ClusterSpec* cluster) {
  const std::vector<std::string_view> modes{"alwaysAllow", "rbac"};
  const std::string mode = reader.String("authorization", "alwaysAllow");
  cluster->rbac = mode == "rbac";
  if (std::find(modes.begin(), modes.end(), mode) == modes.end())
    context.problems.Error(reader.Find("authorization")->span,
                           fmt::format("unknown authorization \"{}\"", mode), Suggest(mode, modes));
}

void ParseServiceRange(ParseContext& context, MappingReader& reader, ClusterSpec* cluster) {
  cluster->service_cidr = reader.String("serviceClusterIPRange", cluster->service_cidr);
  const std::optional<api::ParsedCidr> range = api::ParseCidr(cluster->service_cidr);
  if (!range || !range->address.Maps4() || range->bits > 30 || range->bits < 12)
    context.problems.Error(
        reader.Find("serviceClusterIPRange")->span,
        fmt::format("\"{}\" is no range of IPv4 addresses from /12 to /30, like 10.96.0.0/12",
                    cluster->service_cidr));
}

void ParseServiceAccounts(ParseContext& context, MappingReader& reader, ClusterSpec* cluster) {
  std::vector<std::string_view> processes;
  for (const auto& [process, parts] : cluster->processes) processes.push_back(process);
  for (const auto& [process, account] : reader.Map("serviceAccounts", false)) {
    const YamlNode::Entry* entry = reader.Find("serviceAccounts")->FindEntry(process);
    if (std::find(processes.begin(), processes.end(), process) == processes.end())
      context.problems.Error(entry->key_span,
                             fmt::format("spec.cluster.processes has no \"{}\"", process),
                             Suggest(process, processes));
    const std::size_t slash = account.find('/');
    if (slash == 0 || slash == account.npos || slash + 1 == account.size())
      context.problems.Error(entry->value.span, fmt::format("\"{}\" is no NAMESPACE/NAME", account),
                             "as in default/my-controller");
    cluster->service_accounts.emplace_back(process, account);
  }
}

// kube-controller-manager's role lets it hold the lease of its own name, and no other.
void CheckElections(ParseContext& context, MappingReader& reader, const ClusterSpec& cluster) {
  if (!cluster.rbac) return;
  for (const auto& [name, replicas] : cluster.replicated) {
    if (name == "*") continue;
    context.problems.Error(
        reader.Find("controllers")->span,
        fmt::format("with authorization: rbac the replicas of \"{}\" may not hold a lease", name),
        "give replicas to \"*\"");
  }
}

// --- metrics ---

// A tebi: beyond it sums over many pods would not fit into 64 bits of thousandths.
constexpr std::string_view kMostLoad = "1Ti";

std::string ReadAmount(ParseContext& context, MappingReader& level, std::string_view field) {
  const YamlNode& node = *level.Find(field);
  const absl::StatusOr<Quantity> amount = Quantity::Parse(node.text);
  if (node.kind != YamlNode::Kind::kScalar || !amount.ok()) {
    level.WrongType(field, "a quantity", "as in 250m, 1.5 or 300Mi");
  } else if (amount->Sign() < 0 || *amount > *Quantity::Parse(kMostLoad)) {
    context.problems.Error(node.span, fmt::format("{} must be 0 to {}, got {}", level.PathTo(field),
                                                  kMostLoad, node.text));
  } else {
    return node.text;
  }
  return "0";
}

std::optional<MetricSpec::Level> ParseLevel(ParseContext& context, const YamlNode& item,
                                            const std::string& where, bool of_pods) {
  MappingReader reader(context.problems, item, LevelType(), where);
  if (!reader.is_mapping()) return std::nullopt;
  MetricSpec::Level level;
  level.at = reader.DurationOf("at", Duration());
  level.each = reader.Has("each");
  if (level.each == reader.Has("total")) {
    context.problems.Error(item.span, fmt::format("{} wants total or each, one of them", where),
                           "write {at: 1h, total: 500m}");
    return std::nullopt;
  }
  if (level.each && !of_pods)
    context.problems.Error(reader.Find("each")->span,
                           fmt::format("{} is of no pods, which could have so much each", where),
                           "write total");
  level.amount = ReadAmount(context, reader, level.each ? "each" : "total");
  return level;
}

std::vector<MetricSpec::Level> ParseLoad(ParseContext& context, MappingReader& metric,
                                         bool of_pods) {
  std::vector<MetricSpec::Level> load;
  if (!metric.Has("load")) {
    if (metric.is_mapping())
      context.problems.Error(metric.node().span, fmt::format("{} lacks load", metric.where()),
                             "write load: [{at: 0s, total: 500m}]");
    return load;
  }
  const auto items = metric.List("load");
  if (items.empty() && metric.Find("load")->kind == YamlNode::Kind::kSequence)
    context.problems.Error(metric.Find("load")->span,
                           fmt::format("{} is empty", metric.PathTo("load")),
                           "write load: [{at: 0s, total: 500m}]");
  int i = 0;
  for (const YamlNode* item : items) {
    const std::string where = fmt::format("{}[{}]", metric.PathTo("load"), i++);
    std::optional<MetricSpec::Level> level = ParseLevel(context, *item, where, of_pods);
    if (!level) continue;
    if (!load.empty() && level->at <= load.back().at)
      context.problems.Error(item->span, fmt::format("{} is not after the level before it, at {}",
                                                     where, FormatDuration(load.back().at)));
    load.push_back(*std::move(level));
  }
  return load;
}

void ParseObject(ParseContext& context, MappingReader& reader, MetricSpec* metric) {
  const std::string object = reader.String("object");
  if (!reader.Has("object")) return;
  const std::size_t slash = object.find('/');
  if (slash == object.npos || slash == 0 || slash + 1 == object.size()) {
    context.problems.Error(reader.Find("object")->span,
                           fmt::format("\"{}\" is no KIND/NAME", object), "as in Service/queue");
    return;
  }
  metric->object_kind = object.substr(0, slash);
  metric->object_name = object.substr(slash + 1);
}

// The combinations of fields that mean something.
void CheckFields(ParseContext& context, MappingReader& reader, const MetricSpec& metric) {
  const auto refuse = [&](std::string_view field, const std::string& why, std::string hint) {
    const YamlNode* const node = field.empty() ? nullptr : reader.Find(field);
    context.problems.Error(node != nullptr ? node->span : reader.node().span, why, std::move(hint));
  };
  if (!reader.is_mapping()) return;
  if (reader.Has("resource") == reader.Has("metric"))
    refuse("", fmt::format("{} wants resource or metric, one of them", reader.where()),
           "write resource: cpu, or metric: requests_per_second");
  if (reader.Has("resource") && metric.resource != "cpu" && metric.resource != "memory")
    refuse("resource", fmt::format("metrics-server does not measure \"{}\"", metric.resource),
           "write cpu or memory");
  if (reader.Has("resource") && !reader.Has("pods"))
    refuse("", fmt::format("{} does not say which pods use it", reader.where()),
           "write pods: app=web");
  for (const char* field : {"object", "labels"})
    if (reader.Has("resource") && reader.Has(field))
      refuse(field, fmt::format("{} is for a metric of your own", reader.PathTo(field)), "");
  if (!reader.Has("resource") && reader.Has("container"))
    refuse("container", fmt::format("{} is for a resource", reader.PathTo("container")), "");
  if (reader.Has("pods") && reader.Has("object"))
    refuse("object", fmt::format("{} has pods and an object", reader.where()), "write one of them");
}

void CheckSelector(ParseContext& context, MappingReader& reader, const MetricSpec& metric) {
  if (!reader.Has("pods")) return;
  const absl::StatusOr<value::LabelSelector> selector = value::LabelSelector::Parse(metric.pods);
  if (!selector.ok())
    context.problems.Error(reader.Find("pods")->span, fmt::format("{}: {}", reader.PathTo("pods"),
                                                                  Message(selector.status())));
  else if (selector->empty())
    context.problems.Error(reader.Find("pods")->span,
                           fmt::format("{} selects every pod", reader.PathTo("pods")),
                           "write a label selector: app=web");
}

std::vector<MetricSpec> ParseMetrics(ParseContext& context, MappingReader& cluster) {
  std::vector<MetricSpec> metrics;
  int i = 0;
  for (const YamlNode* item : cluster.List("metrics")) {
    MappingReader reader(context.problems, *item, MetricType(),
                         fmt::format("{}[{}]", cluster.PathTo("metrics"), i++));
    MetricSpec metric;
    metric.resource = reader.String("resource");
    metric.metric = reader.String("metric");
    metric.pods = reader.String("pods");
    metric.container = reader.String("container");
    metric.ns = reader.String("namespace", metric.ns);
    metric.labels = reader.Map("labels", false);
    ParseObject(context, reader, &metric);
    CheckFields(context, reader, metric);
    CheckSelector(context, reader, metric);
    metric.load = ParseLoad(context, reader, reader.Has("pods"));
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace

ClusterSpec ParseCluster(ParseContext& context, const YamlNode& node, api::Compat compat) {
  MappingReader reader(context.problems, node, ClusterType(), "spec.cluster");
  ClusterSpec cluster;
  cluster.program = context.program;
  if (const YamlNode* nodes = reader.Find("nodes")) {
    cluster.nodes = ParseNodes(context, *nodes);
    CheckUniqueNames(context, *nodes, cluster);
  }
  cluster.api_servers = reader.Integer("apiServers", 1, 1);
  if (reader.Has("apiServers"))
    CheckApiServers(context.problems, reader.Find("apiServers")->span, cluster.api_servers);
  ParseAuthorization(context, reader, &cluster);
  ParseServiceRange(context, reader, &cluster);
  cluster.kubernetes_service = reader.Bool("kubernetesService", cluster.kubernetes_service);
  cluster.jobs_end_after = reader.DurationOf("jobsEndAfter", cluster.jobs_end_after);
  cluster.any_kind = reader.Bool("anyKind", cluster.any_kind);
  cluster.terminated_pod_threshold =
      reader.Integer("terminatedPodGCThreshold", cluster.terminated_pod_threshold, 0);
  cluster.deny = ParseDeny(context, reader);
  cluster.max_requests_inflight = reader.Integer("maxRequestsInflight", 0, 0);
  cluster.max_mutating_requests_inflight = reader.Integer("maxMutatingRequestsInflight", 0, 0);
  if (reader.Has("admissionPlugins")) {
    CheckNames(reader, "admissionPlugins", AdmissionPlugins(), "admission plugin");
    cluster.admission_plugins = reader.Strings("admissionPlugins", cluster.admission_plugins);
    if (EnabledAdmissionPlugins(cluster, compat).empty())
      context.problems.Error(reader.Find("admissionPlugins")->span,
                             "a server without any is none: keep NamespaceLifecycle");
  }
  if (reader.Has("components")) {
    CheckNames(reader, "components", Components(), "component");
    cluster.components = reader.Strings("components", cluster.components);
  }
  if (reader.Has("controllers")) ParseControllers(context, reader, &cluster);
  ParseScheduler(context, reader, &cluster);
  ParseLatency(context, reader, &cluster);
  ParseVariants(context, reader, compat, &cluster);
  ParseProcesses(context, reader, &cluster);
  ParseServiceAccounts(context, reader, &cluster);
  CheckElections(context, reader, cluster);
  ParseGuests(context, reader, &cluster);
  cluster.metrics = ParseMetrics(context, reader);
  cluster.images = ParseImages(context, reader);
  ReadStagesField(context, reader, &cluster);
  return cluster;
}

}  // namespace ksim::scenario
