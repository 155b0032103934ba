#include "ksim/kubelet/pod_workers/container_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "ksim/kubelet/volumes/volume_content.h"

namespace ksim::kubelet {

using value::Value;

namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// determineEffectiveSecurityContext: the container's own field, else the pod's.
const Value& EffectiveField(const api::Object& pod, const Value& container,
                            std::string_view field) {
  const Value& own = container.Get("securityContext").Get(field);
  return own.is_null() ? pod.spec().Get("securityContext").Get(field) : own;
}

// validation.go IsEnvVarName. The keys of ConfigMaps and Secrets have no other characters.
bool IsEnvironmentName(std::string_view name) {
  const bool digit = !name.empty() && name.front() >= '0' && name.front() <= '9';
  return !name.empty() && !digit && name != "." && !name.starts_with("..");
}

}  // namespace

std::string NonRootProblem(const api::Object& pod, const Value& container, std::string_view user) {
  if (!EffectiveField(pod, container, "runAsNonRoot").AsBool()) return "";
  const std::string where = fmt::format("(pod: \"{}_{}({})\", container: {})", pod.name(), pod.ns(),
                                        pod.uid(), container.Get("name").AsString());
  const Value& run_as = EffectiveField(pod, container, "runAsUser");
  if (!run_as.is_null())
    return run_as.AsInt() == 0 ? "container's runAsUser breaks non-root policy " + where : "";
  // The image's user without its group. No user is root.
  const std::string_view name = user.substr(0, user.find(':'));
  if (name.empty() || (IsNumber(name) && name.find_first_not_of('0') == std::string_view::npos))
    return "container has runAsNonRoot and image will run as root " + where;
  if (IsNumber(name)) return "";
  return fmt::format(
      "container has runAsNonRoot and image has non-numeric user ({}), cannot verify user is "
      "non-root {}",
      name, where);
}

sim::Task<std::string> ContainerConfig::Problem(PodWorker* worker, Value container) {
  std::string problem = co_await EnvironmentProblem(worker, container);
  if (problem.empty())
    problem =
        NonRootProblem(worker->pod, container, runtime_.UserOf(container.Get("image").AsString()));
  co_return problem;
}

sim::Task<std::string> ContainerConfig::EnvironmentProblem(PodWorker* worker, Value container) {
  const std::vector<ContentSource> sources = EnvironmentSources(container);
  const std::string ns(worker->pod.ns());
  for (const ContentSource& source : sources) {
    const std::vector<std::string> missing = MissingContainers(source, worker->pod);
    if (!missing.empty()) co_return missing.front();
    if (!source.object) continue;
    const ObjectReference& from = *source.object;
    const Lookup found = co_await objects_.Get(from.kind, ns, from.name);
    if (found.not_found && from.optional) continue;
    if (!found.error.empty()) co_return found.error;
    const Value& data = found.object.tree().Get("data");
    if (from.key.empty()) {
      ReportInvalidNames(*worker, from, data);
    } else if (!data.Has(from.key) && !from.optional) {
      co_return fmt::format("couldn't find key {} in {} {}/{}", from.key, ToString(from.kind), ns,
                            from.name);
    }
  }
  co_return "";
}

// 1.25: envFrom leaves out what is no name of a variable, and says so.
void ContainerConfig::ReportInvalidNames(const PodWorker& worker, const ObjectReference& from,
                                         const Value& data) {
  if (!profile_.skips_invalid_env_names) return;
  std::vector<std::string> skipped;
  for (const Value::Member& entry : data.members()) {
    std::string name = from.prefix + std::string(entry.name.text());
    if (!IsEnvironmentName(name)) skipped.push_back(std::move(name));
  }
  if (skipped.empty()) return;
  std::sort(skipped.begin(), skipped.end());
  recorder_.Event(worker.pod, "Warning", "InvalidEnvironmentVariableNames",
                  fmt::format("Keys [{}] from the EnvFrom {} {}/{} were skipped since they are "
                              "considered invalid environment variable names.",
                              fmt::join(skipped, ", "),
                              from.kind == ObjectKind::kConfigMap ? "configMap" : "secret",
                              worker.pod.ns(), from.name));
}

sim::Task<void> ContainerConfig::LookForPullSecrets(PodWorker* worker) {
  const Value secrets = worker->pod.spec().Get("imagePullSecrets");
  const std::string ns(worker->pod.ns());
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < secrets.size(); ++i) {
    const std::string name(secrets.at(i).Get("name").AsString());
    if (name.empty()) continue;
    const Lookup found = co_await objects_.Get(ObjectKind::kSecret, ns, name);
    if (!found.error.empty()) missing.push_back(name);
  }
  if (missing.empty() || !profile_.pull_secret_event) co_return;
  recorder_.Event(worker->pod, "Warning", "FailedToRetrieveImagePullSecret",
                  fmt::format("Unable to retrieve some image pull secrets ({}); attempting to pull "
                              "the image may not succeed.",
                              fmt::join(missing, ", ")));
}

}  // namespace ksim::kubelet
