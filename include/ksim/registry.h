// Registry: what a program brings along beside ksim's own: controllers, kinds, oracles and
// scenarios, by the names that scenarios and the command line call them.
//
//   ksim::Registry registry("website-controller", "1.2");
//   registry.AddKind("example.dev/v1", "Website");
//   registry.AddController("website-controller", MakeWebsiteController);
//   registry.AddOracle("web.oneLeader", "Two never lead at once.", MakeOneLeader);
//   registry.AddScenario("shop", kShop);
//
// A scenario names the controllers as it names ksim's: `controllers: ["*", website-controller]`.
// "*" means ksim's own, so that a scenario always says what it needs.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/check/own_oracle.h"
#include "ksim/controllers/controller.h"

namespace ksim {

struct ControllerOptions {
  ControllerOptions() = default;
  std::string text;  // one line, for `explain controllers`
  // The process that it runs in, together with all controllers that name the same one: they share
  // its connection, its caches and its death. "": one of its own, called like the controller.
  std::string process;
};

struct RegisteredController {
  RegisteredController() = default;
  std::string name;
  controllers::ControllerFactory factory;
  ControllerOptions options;
  const std::string& process() const { return options.process.empty() ? name : options.process; }
};

struct RegisteredScenario {
  RegisteredScenario() = default;
  std::string name;
  std::string text;  // of the file; "": it is read from `path`
  std::string path;
};

class Registry {
 public:
  Registry() = default;  // of ksim itself, which brings nothing
  // `program` is how traces call the program. `version` is a part of its hash: a program that
  // changes it says that its old traces will not repeat.
  explicit Registry(std::string program, std::string version = "");

  // Names are DNS labels (website-controller), and none of ksim's own.
  Registry& AddController(std::string name, controllers::ControllerFactory factory,
                          ControllerOptions options = ControllerOptions());
  // A custom kind that is served without its CustomResourceDefinition; without one, and without
  // `anyKind`, a scenario may not use the kind.
  Registry& AddKind(api::ResourceInfo kind);
  // The same, namespaced, with a plural as kubectl guesses it.
  Registry& AddKind(std::string_view api_version, std::string_view kind);
  // An oracle that judges every run of the process, as ksim's own do (check/own_oracle.h). A name
  // that another registry of the process has brought already stays that registry's.
  Registry& AddOracle(std::string name, std::string promise, check::OwnOracleFactory factory);
  // `run NAME`, `fuzz NAME`: a scenario's text, or every *.yaml of a folder by its name without
  // ".yaml".
  Registry& AddScenario(std::string name, std::string text);
  Registry& AddScenarios(const std::string& folder);

  const std::string& program() const { return program_; }
  const std::string& version() const { return version_; }
  const std::vector<RegisteredController>& controllers() const { return controllers_; }
  const std::vector<api::ResourceInfo>& kinds() const { return kinds_; }
  const std::vector<std::string>& oracles() const { return oracles_; }
  const std::vector<RegisteredScenario>& scenarios() const { return scenarios_; }
  // Null if there is none.
  const RegisteredController* FindController(std::string_view name) const;
  const RegisteredScenario* FindScenario(std::string_view name) const;

  // Whether a run may depend on what is registered. Then traces name the program and its hash, and
  // no other program runs them again.
  bool ChangesRuns() const { return !controllers_.empty() || !kinds_.empty() || !oracles_.empty(); }
  // 32 hex digits over the version and the sorted names of controllers, kinds and oracles.
  std::string hash() const;
  // Everything that is wrong with it, a line each.
  std::vector<std::string> Problems() const;

 private:
  std::string program_ = "ksim";
  std::string version_;
  std::vector<RegisteredController> controllers_;
  std::vector<api::ResourceInfo> kinds_;
  std::vector<std::string> oracles_;
  std::vector<RegisteredScenario> scenarios_;
  std::vector<std::string> problems_;  // that only the call could see
};

}  // namespace ksim
