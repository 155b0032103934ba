// Part of world.h: the processes that run controllers, ksim's own and those of the program.
#include <fmt/format.h>

#include <algorithm>

#include "ksim/base/check.h"
#include "ksim/client/rest/component_limits.h"
#include "ksim/controllers/registry.h"
#include "ksim/registry.h"
#include "ksim/scenario/component_bodies.h"
#include "ksim/scenario/controller_parts.h"
#include "ksim/scenario/world.h"

namespace ksim::scenario {
namespace {

std::unique_ptr<controllers::Controller> MakeController(const std::string& name,
                                                        controllers::ControllerContext context,
                                                        const ControllerSettings& settings) {
  const RegisteredController* const own =
      settings.program == nullptr ? nullptr : settings.program->FindController(name);
  if (own != nullptr) {
    context.name = name;
    return own->factory(std::move(context));
  }
  const controllers::ControllerInfo* const info = controllers::FindController(name);
  KSIM_CHECK(info != nullptr && info->make != nullptr) << "no controller " << name;
  context.name = std::string(info->PartName());
  return info->make(std::move(context));
}

std::vector<std::unique_ptr<controllers::Controller>> MakeControllers(
    const std::vector<std::string>& names, sim::Process& process, client::Connection& connection,
    client::InformerFactory& informers, const ControllerSettings& settings,
    const std::string& user = {}) {
  std::vector<std::unique_ptr<controllers::Controller>> all;
  for (const std::string& name : names) {
    controllers::ControllerContext context(process, connection, informers, name);
    context.user = user;
    context.terminated_pod_threshold = settings.terminated_pod_threshold;
    context.metrics = settings.metrics;
    context.root_ca = settings.root_ca;
    context.takes_over = settings.takes_over && process.incarnation() == 1;
    all.push_back(MakeController(name, std::move(context), settings));
  }
  return all;
}

}  // namespace

client::ClientOptions ControlPlaneClient(std::string user) {
  client::ClientOptions options;
  options.user = std::move(user);
  options.qps = 50;
  options.burst = 100;
  return options;
}

void World::AddControllers(const Scenario& scenario, const WorldOptions& options) {
  const ClusterSpec& cluster = scenario.cluster;
  const std::vector<std::string> names = ManagerControllers(cluster, scenario.compat);
  std::int64_t managers = 0;
  for (const auto& [name, replicas] : cluster.replicated)
    if (name == "*") managers = replicas;
  if (managers == 0 && cluster.Runs("kube-controller-manager"))
    AddControllerProcess("kube-controller-manager", names);
  for (const auto& [name, replicas] : cluster.replicated)
    AddReplicas(ReplicaBaseName(name), replicas,
                name == "*" ? names : ReplicatedControllers(cluster, name, scenario.compat));
  for (const auto& [process, parts] : cluster.processes)
    AddControllerProcess(process, parts, cluster.ServiceAccountOf(process));
  for (const PluggedController& plugged : options.controllers) {
    auto build = [plugged](sim::Process& process, client::Connection& connection,
                           client::InformerFactory& informers) -> std::unique_ptr<Component::Body> {
      std::vector<std::unique_ptr<controllers::Controller>> all;
      all.push_back(plugged.factory(
          controllers::ControllerContext(process, connection, informers, plugged.name)));
      return std::make_unique<ControllerBody>(std::move(all));
    };
    components_.push_back(std::make_unique<Component>(
        env_, plugged.name, ServerOf(0),
        client::LimitedAs(client::Limits::kControllerRuntime, env_.compat, plugged.name), build,
        client::RuntimeResync));
  }
  for (const auto& [process, parts] : cluster.OwnProcesses()) AddOwnProcess(process, parts);
}

// A manager of controller-runtime, with its limits, its resyncs and its name.
void World::AddOwnProcess(const std::string& name, const std::vector<std::string>& controllers) {
  auto build = [controllers, settings = controller_settings_](
                   sim::Process& process, client::Connection& connection,
                   client::InformerFactory& informers) -> std::unique_ptr<Component::Body> {
    return std::make_unique<ControllerBody>(
        MakeControllers(controllers, process, connection, informers, settings));
  };
  components_.push_back(std::make_unique<Component>(
      env_, name, ServerOf(0),
      client::LimitedAs(client::Limits::kControllerRuntime, env_.compat, name), build,
      client::RuntimeResync));
}

void World::AddControllerProcess(const std::string& name,
                                 const std::vector<std::string>& controllers,
                                 const std::string& user) {
  auto build = [controllers, user, settings = controller_settings_](
                   sim::Process& process, client::Connection& connection,
                   client::InformerFactory& informers) -> std::unique_ptr<Component::Body> {
    return std::make_unique<ControllerBody>(
        MakeControllers(controllers, process, connection, informers, settings, user));
  };
  components_.push_back(std::make_unique<Component>(
      env_, name, ServerOf(0),
      ControlPlaneClient(user.empty() ? "system:kube-controller-manager" : user), build,
      Component::ManagerResync));
}

void World::AddReplicas(const std::string& base, std::int64_t replicas,
                        const std::vector<std::string>& controllers) {
  elections_.push_back(std::make_unique<ElectionGroup>(sim_, base));
  ElectionGroup* group = elections_.back().get();
  for (std::int64_t i = 0; i < replicas; ++i) {
    auto build = [controllers, group, settings = controller_settings_](
                     sim::Process& process, client::Connection& connection,
                     client::InformerFactory& informers) -> std::unique_ptr<Component::Body> {
      return std::make_unique<ElectedBody>(
          process, connection, informers, *group,
          [controllers, settings, &process, &connection, &informers] {
            return MakeControllers(controllers, process, connection, informers, settings);
          });
    };
    components_.push_back(std::make_unique<Component>(
        env_, fmt::format("{}-{}", base, i), ServerOf(static_cast<std::size_t>(i)),
        ControlPlaneClient("system:kube-controller-manager"), build, Component::ManagerResync));
    group->Add(components_.back()->process());
  }
}

}  // namespace ksim::scenario
