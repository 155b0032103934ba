// The options of kubectl's verbs: what a user has typed, or what a step of a scenario says.
//
// Source: kubernetes/kubectl pkg/cmd/{create,apply,replace,patch,delete,scale,label,annotate,
// drain,wait,rollout,set,expose,autoscale}.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/value/value.h"
#include "ksim/value/where.h"

namespace ksim::kubectl {

// Objects of a manifest, which come from the standard input.
using Manifests = std::vector<value::Value>;

// One object by its name, or those that a selector picks.
struct Target {
  Target() = default;
  std::string resource;  // pods, rs; any name that kubectl takes
  std::string ns = "default";
  std::string name;      // "": by selector
  std::string selector;  // "": all
};

struct CreateOptions {
  CreateOptions() = default;
  Manifests manifests;
};

struct ApplyOptions {
  ApplyOptions() = default;
  Manifests manifests;
  bool server_side = false;
  bool force_conflicts = false;  // server side
  std::string field_manager = "kubectl";
};

struct ReplaceOptions {
  ReplaceOptions() = default;
  Manifests manifests;
};

struct PatchOptions {
  PatchOptions() = default;
  Target target;
  std::string type = "strategic";  // merge, json
  std::string subresource;
  value::Value patch;
};

struct DeleteOptions {
  DeleteOptions() = default;
  Manifests manifests;
  Target target;                      // without a resource: the manifests
  std::optional<std::int64_t> limit;  // at most so many of those that the selector picks
  std::optional<std::int64_t> grace_period_seconds;
  std::string cascade = "background";
  bool wait = true;
};

struct ScaleOptions {
  ScaleOptions() = default;
  Target target;
  std::int64_t replicas = 0;
};

// label and annotate.
struct MarkOptions {
  MarkOptions() = default;
  bool label = true;  // else annotate
  Target target;
  std::vector<std::pair<std::string, std::optional<std::string>>> set;  // nullopt removes
  bool overwrite = false;
};

// cordon and uncordon.
struct CordonOptions {
  CordonOptions() = default;
  bool cordon = true;  // else uncordon
  std::string node;
};

struct WaitOptions {
  WaitOptions() = default;
  Target target;
  // --for: create, delete, condition=NAME[=VALUE], jsonpath={PATH}[=VALUE]; none: `where`.
  std::vector<std::string> wait_for;
  value::Where where;
  Duration timeout = Seconds(30);  // none: looks once
};

struct DrainOptions {
  DrainOptions() = default;
  std::string node;
  bool force = false;
  bool ignore_daemon_sets = false;
  Duration timeout;  // none: no limit
  std::optional<std::int64_t> grace_period_seconds;
};

struct EvictOptions {
  EvictOptions() = default;
  std::string ns, name;
  std::optional<std::int64_t> grace_period_seconds;
};

// rollout status, history, undo, pause, resume and restart.
struct RolloutOptions {
  RolloutOptions() = default;
  std::string command = "status";
  Target target;
  std::int64_t revision = 0;  // status and history --revision, undo --to-revision
  Duration timeout;           // status; none: no limit
};

struct SetImageOptions {
  SetImageOptions() = default;
  Target target;
  std::vector<std::pair<std::string, std::string>> images;  // container ("*": all), image
};

struct ExposeOptions {
  ExposeOptions() = default;
  Target target;
  std::string name;         // of the Service; "": the target's
  std::int64_t port = 0;    // 0: those of the containers
  std::string target_port;  // "": the port
  std::string type;         // "": ClusterIP
};

struct AutoscaleOptions {
  AutoscaleOptions() = default;
  Target target;
  std::string name;  // of the autoscaler; "": the target's
  std::int64_t min = 0;
  std::int64_t max = 1;
  std::int64_t cpu_percent = 0;  // 0: the server's default
};

// create job NAME --from=cronjob/NAME.
struct CreateJobOptions {
  CreateJobOptions() = default;
  Target from;  // a CronJob
  std::string name;
};

using VerbOptions =
    std::variant<CreateOptions, ApplyOptions, ReplaceOptions, PatchOptions, DeleteOptions,
                 ScaleOptions, MarkOptions, CordonOptions, WaitOptions, DrainOptions, EvictOptions,
                 RolloutOptions, SetImageOptions, ExposeOptions, AutoscaleOptions,
                 CreateJobOptions>;

}  // namespace ksim::kubectl
