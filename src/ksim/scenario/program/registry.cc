// ksim::Registry of include/ksim/registry.h.
#include "ksim/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ksim/api/rules/name_rules.h"
#include "ksim/base/hash.h"
#include "ksim/base/os.h"
#include "ksim/base/status.h"
#include "ksim/check/own_oracles.h"
#include "ksim/controllers/registry.h"
#include "ksim/scenario/parse.h"

namespace ksim {
namespace {

constexpr std::string_view kYaml = ".yaml";

// Processes that every cluster may have.
bool IsReserved(std::string_view process) {
  static constexpr std::string_view kProcesses[] = {"kubectl", "etcd", "kube-scheduler",
                                                    "kube-controller-manager", "ksim"};
  return std::find(std::begin(kProcesses), std::end(kProcesses), process) != std::end(kProcesses) ||
         process.starts_with("kube-apiserver-") || process.starts_with("outside-");
}

void AddNameProblem(std::string_view what, const std::string& name, std::vector<std::string>* out) {
  for (const std::string& problem : api::Dns1123Label(name, api::kDefaultCompat))
    out->push_back(fmt::format("the {} \"{}\" has a bad name: {}", what, name, problem));
}

std::string KindName(const api::ResourceInfo& kind) {
  return fmt::format("{}.{}/{} {} {}", kind.resource, kind.group, kind.version, kind.kind,
                     kind.namespaced);
}

}  // namespace

Registry::Registry(std::string program, std::string version)
    : program_(std::move(program)), version_(std::move(version)) {}

Registry& Registry::AddController(std::string name, controllers::ControllerFactory factory,
                                  ControllerOptions options) {
  RegisteredController& added = controllers_.emplace_back();
  added.name = std::move(name);
  added.factory = std::move(factory);
  added.options = std::move(options);
  return *this;
}

Registry& Registry::AddKind(api::ResourceInfo kind) {
  kind.custom = true;
  kinds_.push_back(std::move(kind));
  return *this;
}

Registry& Registry::AddKind(std::string_view api_version, std::string_view kind) {
  api::Kinds kinds;
  scenario::LearnKind(kinds, api_version, kind);
  const api::ResourceInfo* info = kinds.ByKind(api_version, kind);
  if (info != nullptr) return AddKind(*info);
  problems_.push_back(fmt::format("{} {} is no custom kind", api_version, kind));
  return *this;
}

Registry& Registry::AddOracle(std::string name, std::string promise,
                              check::OwnOracleFactory factory) {
  if (std::find(oracles_.begin(), oracles_.end(), name) != oracles_.end())
    problems_.push_back(fmt::format("the oracle \"{}\" is registered twice", name));
  oracles_.push_back(name);
  if (check::IsOwnOracle(name)) return *this;
  const absl::Status status =
      check::RegisterOracle(std::move(name), std::move(promise), std::move(factory));
  if (!status.ok()) problems_.push_back(std::string(Message(status)));
  return *this;
}

Registry& Registry::AddScenario(std::string name, std::string text) {
  RegisteredScenario& added = scenarios_.emplace_back();
  added.name = std::move(name);
  added.text = std::move(text);
  return *this;
}

Registry& Registry::AddScenarios(const std::string& folder) {
  const absl::StatusOr<std::vector<std::string>> files = os::ListDirectory(folder, kYaml);
  if (!files.ok()) {
    problems_.push_back(
        fmt::format("cannot read the folder {}: {}", folder, Message(files.status())));
    return *this;
  }
  for (const std::string& file : *files) {
    RegisteredScenario& added = scenarios_.emplace_back();
    added.name = file.substr(0, file.size() - kYaml.size());
    added.path = fmt::format("{}{}{}", folder, folder.ends_with('/') ? "" : "/", file);
  }
  return *this;
}

const RegisteredController* Registry::FindController(std::string_view name) const {
  for (const RegisteredController& controller : controllers_)
    if (controller.name == name) return &controller;
  return nullptr;
}

const RegisteredScenario* Registry::FindScenario(std::string_view name) const {
  for (const RegisteredScenario& scenario : scenarios_)
    if (scenario.name == name) return &scenario;
  return nullptr;
}

std::string Registry::hash() const {
  std::set<std::string> controllers, kinds;
  for (const RegisteredController& c : controllers_)
    controllers.insert(fmt::format("{} {}", c.name, c.process()));
  for (const api::ResourceInfo& kind : kinds_) kinds.insert(KindName(kind));
  const std::set<std::string> oracles(oracles_.begin(), oracles_.end());
  std::string text = fmt::format("version {}\n", version_);
  for (const std::string& name : controllers) text += fmt::format("controller {}\n", name);
  for (const std::string& name : kinds) text += fmt::format("kind {}\n", name);
  for (const std::string& name : oracles) text += fmt::format("oracle {}\n", name);
  return Hex(Hash128(text));
}

std::vector<std::string> Registry::Problems() const {
  std::vector<std::string> out = problems_;
  AddNameProblem("program", program_, &out);
  std::set<std::string> names;
  for (const RegisteredController& c : controllers_) {
    AddNameProblem("controller", c.name, &out);
    if (!names.insert(c.name).second)
      out.push_back(fmt::format("the controller \"{}\" is registered twice", c.name));
    if (c.factory == nullptr)
      out.push_back(fmt::format("the controller \"{}\" has no factory", c.name));
    if (controllers::FindController(c.name) != nullptr)
      out.push_back(fmt::format("ksim has a controller \"{}\" already", c.name));
    if (c.process() != c.name) AddNameProblem("process", c.process(), &out);
    if (IsReserved(c.process()))
      out.push_back(fmt::format("every cluster has a process \"{}\" already", c.process()));
  }
  std::set<std::string> scenarios;
  for (const RegisteredScenario& s : scenarios_) {
    if (s.name.empty() || s.name.starts_with('-') || s.name.find('/') != std::string::npos)
      out.push_back(fmt::format("the scenario \"{}\" has a bad name: it is no word", s.name));
    if (!scenarios.insert(s.name).second)
      out.push_back(fmt::format("the scenario \"{}\" is registered twice", s.name));
  }
  const api::Kinds built_in;
  for (const api::ResourceInfo& kind : kinds_) {
    const api::ResourceInfo* known = built_in.ByResource(kind.group, kind.resource);
    if (kind.kind.empty() || kind.resource.empty() || kind.version.empty())
      out.push_back(fmt::format("the kind \"{}\" lacks its name, resource or version", kind.kind));
    else if (known != nullptr)
      out.push_back(fmt::format("ksim has a kind {} already", kind.group_resource()));
  }
  return out;
}

}  // namespace ksim
