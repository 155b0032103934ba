#include "ksim/scenario/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "ksim/base/check.h"
#include "ksim/base/status.h"
#include "ksim/guest/process/shared_library.h"
#include "ksim/scenario/api_server_options.h"
#include "ksim/scenario/component_bodies.h"
#include "ksim/scenario/controller_parts.h"
#include "ksim/scenario/guests.h"
#include "ksim/scenario/initial/initial_store.h"
#include "ksim/scenario/parse.h"
#include "ksim/scenario/schema.h"
#include "ksim/scenario/stages.h"
#include "ksim/store/object_key.h"
#include "ksim/value/quantity.h"

namespace ksim::scenario {
namespace {

using value::Value;

sim::SimulationOptions RunOptions(const Scenario& scenario, const WorldOptions& options) {
  sim::SimulationOptions out;
  out.seed = scenario.seed;
  out.overrides = scenario.overrides;
  out.overrides.insert(out.overrides.end(), options.overrides.begin(), options.overrides.end());
  out.strategy = options.strategy;
  out.order_window = scenario.cluster.latency_max;
  return out;
}

// The options of the start. A seed of its own is mixed: the run must not draw what the boot drew.
sim::SimulationOptions StartOptions(const Scenario& scenario, const WorldOptions& options) {
  sim::SimulationOptions out = RunOptions(scenario, options);
  if (!scenario.boot_seed) return out;
  out.seed = sim::KeyOf("boot", *scenario.boot_seed);
  out.overrides.clear();
  out.strategy = nullptr;
  return out;
}

// Thousands of kubelets never come to an API server in the millisecond in which it starts. If they
// did, a reflector whose first list comes before the watch cache would be answered by etcd, in
// pages of 500, and would list that old revision again and again until it is compacted (client-go
// tools/cache/reflector.go paginatedResult). So many nodes join once the caches are there.
constexpr std::size_t kNodesFromTheStart = 500;
constexpr Duration kNodesJoin = Seconds(1);

bool IsKubelet(Component& component) {
  return std::string_view(component.process().name()).starts_with("kubelet/");
}

sim::LatencyRange LatencyOf(const ClusterSpec& cluster) {
  sim::LatencyRange range;
  range.min = cluster.latency_min;
  range.max = cluster.latency_max;
  return range;
}

api::Variants VariantsOf(const Scenario& scenario) {
  return api::ResolveVariants(scenario.compat, scenario.cluster.variants);
}

store::EtcdOptions EtcdOptionsOf(const Scenario& scenario) {
  store::EtcdOptions options;
  options.compaction_drops_delete =
      VariantsOf(scenario).store_compact_on_delete == api::Variants::CompactOnDelete::kDrop;
  return options;
}

Value MapTree(const std::vector<std::pair<std::string, std::string>>& map) {
  value::ObjectBuilder out;
  for (const auto& [k, v] : map) out.Add(k, Value::Of(v));
  return out.Build();
}

kubelet::NodeOptions NodeOptionsOf(const std::string& name, int ordinal, const NodeSpec& spec) {
  kubelet::NodeOptions options;
  options.name = name;
  options.ordinal = ordinal;
  options.capacity = kubelet::DefaultNodeCapacity();
  for (const auto& [resource, quantity] : spec.capacity)
    options.capacity = options.capacity.Set(resource, Value::Of(quantity));
  options.labels = MapTree(spec.labels);
  std::vector<Value> taints;
  for (const NodeSpec::Taint& t : spec.taints) {
    value::ObjectBuilder taint;
    taint.Add("key", Value::Of(t.key)).AddIf(!t.value.empty(), "value", Value::Of(t.value));
    taints.push_back(taint.Add("effect", Value::Of(t.effect)).Build());
  }
  options.taints = Value::Array(std::move(taints));
  return options;
}

// Null where the scenario says nothing of images.
std::shared_ptr<const kubelet::ImageCatalog> ImagesOf(const ClusterSpec& cluster) {
  if (cluster.images.empty()) return nullptr;
  std::vector<kubelet::ImageSpec> images;
  for (const ImageSpec& spec : cluster.images) {
    kubelet::ImageSpec image;
    image.name = spec.image;
    image.user = spec.user;
    image.digest = spec.digest;
    if (!spec.size.empty()) image.bytes = value::Quantity::Parse(spec.size)->Value();
    image.pull = spec.pull_time;
    image.exit = spec.exit;
    image.present = spec.present;
    image.missing = spec.missing;
    images.push_back(std::move(image));
  }
  return std::make_shared<const kubelet::ImageCatalog>(std::move(images));
}

}  // namespace

World::World(const Scenario& scenario, WorldOptions options)
    : initial_(scenario.initial),
      sim_(StartOptions(scenario, options)),
      fault_hooks_(sim_),
      network_(sim_, LatencyOf(scenario.cluster)),
      env_(sim_, network_, kinds_, scenario.compat),
      shared_(sim_, network_, kinds_, identities_, scenario.compat),
      etcd_(network_, EtcdOptionsOf(scenario)),
      guest_services_(sim_.decisions(), options.webhooks),
      kubelets_taint_(!RunsController(scenario.cluster, "nodelifecycle", scenario.compat)),
      stages_(StagesOf(scenario.cluster)),
      images_(ImagesOf(scenario.cluster)),
      jobs_end_after_(scenario.cluster.jobs_end_after),
      interrupted_(options.interrupted) {
  if (options.digest) digest_.emplace(sim_.bus());
  env_.identities = &identities_;
  env_.faults = &fault_hooks_;
  env_.exit = [this](sim::Process& process) { ExitAndRestart(env_, process); };
  shared_.webhooks = &guest_services_;
  env_.variants = shared_.variants = VariantsOf(scenario);
  controller_settings_.terminated_pod_threshold = scenario.cluster.terminated_pod_threshold;
  if (!scenario.cluster.metrics.empty()) {
    metrics_ = std::make_unique<ClusterMetrics>(scenario.cluster.metrics);
    controller_settings_.metrics = metrics_.get();
  }
  controller_settings_.program = scenario.cluster.program;
  controller_settings_.root_ca = InitialRootCa(initial_);
  controller_settings_.takes_over = !initial_.empty();
  shared_.kubelets_taint = kubelets_taint_;
  shared_.service_cidr = scenario.cluster.service_cidr;
  shared_.service_accounts_made =
      RunsController(scenario.cluster, "serviceaccount", scenario.compat);
  RegisterKinds(scenario, options);
  AddServers(scenario, options);
  AddControllers(scenario, options);
  if (scenario.cluster.Runs("kube-scheduler")) AddScheduler(scenario);
  for (const NodeSpec& spec : scenario.cluster.nodes)
    for (const std::string& name : spec.Names())
      if (!IsInterrupted()) AddNode(name, spec);
  AddGuests(scenario.cluster);
  AddUser();
}

World::~World() { sim_.Shutdown(); }

void World::BeginOwnPart(const Scenario& scenario, const WorldOptions& options) {
  sim_.BeginAnew(RunOptions(scenario, options));
}

std::string World::digest() { return digest_->Final(sim_.decisions()); }

void World::RegisterKinds(const Scenario& scenario, const WorldOptions& options) {
  for (const api::ResourceInfo& info : options.kinds) kinds_.Add(info);
  LearnKinds(kinds_, scenario);
  // No server knows a kind before its definition is there.
  for (const api::ResourceInfo* info : kinds_.all())
    if (info->definition != nullptr) kinds_.Withdraw(info->group, info->resource);
}

void World::AddServers(const Scenario& scenario, const WorldOptions& world) {
  const ClusterSpec& cluster = scenario.cluster;
  std::vector<std::string> plugged;
  for (const PluggedController& controller : world.controllers) plugged.push_back(controller.name);
  for (const auto& [process, parts] : cluster.OwnProcesses()) plugged.push_back(process);
  for (std::int64_t i = 0; i < cluster.api_servers; ++i) {
    if (i > 0 && IsInterrupted()) return;  // all others need one
    apiserver::ServerOptions options;
    options.name = fmt::format("kube-apiserver-{}", i);
    options.policy = RequestPolicyOf(cluster, plugged);
    options.admission_plugins = EnabledAdmissionPlugins(cluster, scenario.compat);
    if (cluster.kubernetes_service) options.address = fmt::format("172.18.0.{}", i + 2);
    options.audit = world.audit;
    servers_.push_back(std::make_unique<apiserver::Server>(shared_, etcd_, std::move(options)));
  }
}

// Clients are spread over the servers in order of their making.
api::Endpoint& World::ServerOf(std::size_t ordinal) {
  return servers_[ordinal % servers_.size()]->endpoint();
}

void World::AddScheduler(const Scenario& scenario) {
  const ClusterSpec& cluster = scenario.cluster;
  scheduler::SchedulerOptions options;
  options.percentage_of_nodes_to_score = static_cast<int>(cluster.percentage_of_nodes_to_score);
  options.claims_are_bound = BindsClaims(cluster, scenario.compat);
  auto build = [options](sim::Process& process, client::Connection& connection,
                         client::InformerFactory& informers) -> std::unique_ptr<Component::Body> {
    return std::make_unique<SchedulerBody>(process, connection, informers, options);
  };
  components_.push_back(std::make_unique<Component>(
      env_, "kube-scheduler", ServerOf(0), ControlPlaneClient("system:kube-scheduler"), build));
}

void World::AddNode(const std::string& name, const NodeSpec& spec) {
  const int ordinal = next_node_++;
  kubelet::NodeOptions options = NodeOptionsOf(name, ordinal, spec);
  options.taints_by_conditions = kubelets_taint_;
  options.lease_is_awaited = !kubelets_taint_;
  options.stages = stages_;
  if (!started_) options.UseNode(InitialNode(initial_, name));
  auto& machine = machines_[name];
  machine = std::make_unique<kubelet::Runtime>(env_, name, options.pod_network());
  machine->EndJobsAfter(jobs_end_after_);
  kubelet::Runtime* runtime = machine.get();
  if (images_ != nullptr) runtime->UseImages(images_);
  auto build = [runtime, options](
                   sim::Process& process, client::Connection& connection,
                   client::InformerFactory& informers) -> std::unique_ptr<Component::Body> {
    return std::make_unique<KubeletBody>(process, connection, informers, *runtime, options);
  };
  components_.push_back(std::make_unique<Component>(
      env_, "kubelet/" + name, ServerOf(static_cast<std::size_t>(ordinal)),
      ControlPlaneClient("system:node:" + name), build));
  if (started_) components_.back()->process().Start();
}

bool World::RemoveNode(const std::string& name) {
  sim::Process* kubelet = sim_.FindProcess("kubelet/" + name);
  if (kubelet == nullptr || !removed_nodes_.insert(kubelet->name()).second) return false;
  if (!kubelet->alive()) return true;  // a fault has killed it; it is not started again
  EmitActor(sim_, *kubelet, "stop");
  kubelet->Kill();
  return true;
}

void World::AddGuests(const ClusterSpec& cluster) {
  for (const GuestSpec& spec : cluster.guests) {
    const std::string& path = spec.path.empty() ? spec.file : spec.path;
    const absl::StatusOr<guest::ProgramLibrary::Entry*> program = guest::LoadProgram(path);
    KSIM_CHECK(program.ok()) << Message(program.status());  // PrepareGuests says it to the user
    std::vector<GuestServices::Replica> replicas;
    for (std::int64_t i = 0; i < spec.replicas; ++i) {
      guest::GuestOptions options = GuestOptionsOf(env_.compat, spec, i);
      options.api.access = &servers_.front()->access();
      options.api.metrics = metrics_.get();
      guests_.push_back(std::make_unique<guest::GuestProcess>(
          env_, ServerOf(0), **guest::SharedLibrary(), **program, std::move(options),
          [this](guest::GuestFailure failure) { guest_failures_.push_back(std::move(failure)); }));
      guest::GuestProcess* const g = guests_.back().get();
      AddClient(g->process(), [g](api::Endpoint& server) { g->relay().ConnectTo(server); });
      GuestServices::Replica replica;
      replica.name = g->process().name();
      replica.ports = [g] { return g->ports(); };
      replica.server = [g](std::int32_t port) -> apiserver::WebhookServer& {
        return g->ServerAt(port);
      };
      replicas.push_back(std::move(replica));
    }
    guest_services_.Add(spec, std::move(replicas));
  }
}

void World::AddUser() {
  user_ = &sim_.AddProcess("kubectl");
  user_server_ = &servers_.front()->endpoint();
  user_->OnStart([this] {
    // That it is there from the start goes without saying.
    if (user_->incarnation() > 1) EmitActor(sim_, *user_, "start");
    user_connection_ = std::make_unique<client::Connection>(env_, *user_, *user_server_);
    kubectl_ = std::make_unique<kubectl::Kubectl>(*user_connection_);
    if (user_started_) user_started_();
  });
  user_->OnStop([this] {
    impersonators_.clear();
    kubectl_.reset();
    user_connection_.reset();
  });
}

kubectl::Kubectl& World::KubectlAs(const std::string& user) {
  if (user.empty()) return *kubectl_;
  std::unique_ptr<kubectl::Kubectl>& found = impersonators_[user];
  if (found == nullptr) found = std::make_unique<kubectl::Kubectl>(*user_connection_, user);
  return *found;
}

bool World::Start() {
  started_ = true;
  etcd_.process().Start();
  EmitActor(sim_, etcd_.process(), "start");
  PutInitialObjects(initial_, shared_, etcd_.store());
  for (const auto& server : servers_) {
    if (IsInterrupted()) return false;
    server->Start();
    EmitActor(sim_, server->process(), "start");
  }
  const bool nodes_join_later = machines_.size() > kNodesFromTheStart;
  for (const auto& component : components_) {
    if (IsInterrupted()) return false;
    if (!nodes_join_later || !IsKubelet(*component)) component->process().Start();
  }
  if (nodes_join_later)
    sim_.After(kNodesJoin, sim::TimerKind::kWork, "nodes join", [this] { StartKubelets(); });
  AdoptInitialPods(initial_, shared_, machines_);
  for (const auto& guest : guests_) guest->process().Start();
  user_->Start();
  return true;
}

void World::StartKubelets() {
  for (const auto& component : components_)
    if (IsKubelet(*component) && component->process().incarnation() == 0)
      component->process().Start();
}

std::vector<apiserver::Server*> World::servers() {
  std::vector<apiserver::Server*> out;
  for (const auto& server : servers_) out.push_back(server.get());
  return out;
}

// Components tell the bus themselves.
bool World::StartProcess(sim::Process& process) {
  if (removed_nodes_.contains(process.name())) return false;
  bool tells = &process == user_;
  for (const auto& component : components_) tells = tells || &component->process() == &process;
  for (const auto& guest : guests_) tells = tells || &guest->process() == &process;
  process.Start();
  if (!tells) EmitActor(sim_, process, "start");
  return true;
}

bool World::Connect(sim::Process& process, apiserver::Server& server) {
  if (&process == user_) {
    user_server_ = &server.endpoint();
    if (user_connection_ != nullptr) user_connection_->ConnectTo(server.endpoint());
    return true;
  }
  for (const auto& component : components_) {
    if (&component->process() != &process) continue;
    component->ConnectTo(server.endpoint());
    return true;
  }
  const auto client = clients_.find(process.name());
  if (client == clients_.end()) return false;
  client->second(server.endpoint());
  return true;
}

bool World::SetTrouble(std::string_view node, std::string_view what, bool on) {
  const auto machine = machines_.find(std::string(node));
  const std::optional<kubelet::Trouble> trouble = kubelet::ParseTrouble(what);
  if (machine == machines_.end() || !trouble) return false;
  int& faults = troubles_[{machine->first, *trouble}];
  faults += on ? 1 : -1;
  machine->second->Set(*trouble, faults > 0);
  return true;
}

fault::Election World::ElectionOf(std::string_view name) {
  fault::Election out;
  for (const auto& group : elections_) {
    const auto& all = group->replicas();
    const bool meant = name == group->lease() || std::any_of(all.begin(), all.end(), [&](auto* p) {
                         return p->name() == name;
                       });
    if (!meant) continue;
    out.replicas = all;
    out.leader = group->leader();
  }
  return out;
}

std::vector<std::string> World::ProcessesWithCaches() const {
  std::vector<std::string> names;
  for (const auto& component : components_) names.emplace_back(component->process().name());
  return names;
}

const client::InformerFactory* World::InformersOf(std::string_view process) const {
  for (const auto& component : components_)
    if (component->process().name() == process) return component->informers();
  return nullptr;
}

void World::EmitCaches(std::uint64_t cause) {
  for (const auto& component : components_)
    if (component->informers() != nullptr) component->informers()->EmitCacheEvents(cause);
}

std::vector<api::Object> World::Objects() const {
  const std::vector<store::KeyValue> stored = Stored(store::kRegistry);
  std::vector<api::Object> out;
  out.reserve(stored.size());
  std::set<std::string> seen;  // events of both groups live under one prefix
  for (const api::ResourceInfo* r : kinds_.all()) {
    const std::string prefix = api::StorageKey(*r, "", "");
    auto kv = std::partition_point(stored.begin(), stored.end(),
                                   [&](const store::KeyValue& k) { return k.key() < prefix; });
    const bool any = kv != stored.end() && kv->key().starts_with(prefix);
    if (!any || !seen.insert(prefix).second) continue;
    for (; kv != stored.end() && kv->key().starts_with(prefix); ++kv)
      out.push_back(api::Object::FromTree(kv->value(), kv->mod_revision()));
  }
  return out;
}

std::vector<api::Object> World::Objects(const api::ResourceInfo& resource) const {
  std::vector<api::Object> out;
  for (const store::KeyValue& kv : Stored(api::StorageKey(resource, "", "")))
    out.push_back(api::Object::FromTree(kv.value(), kv.mod_revision()));
  return out;
}

std::vector<store::KeyValue> World::Stored(std::string_view prefix) const {
  absl::StatusOr<store::RangeResponse> response =
      etcd_.store().Range(store::RangeRequest(prefix, store::PrefixEnd(prefix)));
  return response.ok() ? std::move(response->kvs) : std::vector<store::KeyValue>();
}

}  // namespace ksim::scenario
