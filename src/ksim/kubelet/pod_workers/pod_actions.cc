#include "ksim/kubelet/pod_workers/pod_actions.h"

#include <fmt/format.h>

#include <algorithm>

#include "ksim/api/pod.h"

namespace ksim::kubelet {

using value::Value;

namespace {

using State = Container::State;

const Container* Named(const PodSandbox* sandbox, const Value& spec) {
  if (sandbox == nullptr) return nullptr;
  const auto it = sandbox->containers.find(std::string(spec.Get("name").AsString()));
  return it == sandbox->containers.end() ? nullptr : &it->second;
}

PodActions::Start Starting(const Value& spec, const Container* c) {
  if (c != nullptr && c->state != State::kExited) c = c->previous.get();
  return {spec, c == nullptr ? std::nullopt : std::optional<Container>(*c)};
}

// Init containers from the last to the first: the last that was begun says how far the pod is.
class InitActions {
 public:
  InitActions(const api::Object& pod, const PodSandbox* sandbox, const ProbesOf& probes,
              PodActions* actions)
      : pod_(pod), sandbox_(sandbox), probes_(probes), actions_(*actions) {
    const auto items = pod.spec().Get("initContainers").items();
    specs_.assign(items.begin(), items.end());
  }

  // Whether the pod is initialized: the other containers may run.
  bool Compute() {
    if (specs_.empty()) return true;
    for (const Value& spec : pod_.spec().Get("containers").items()) {
      const Container* c = Named(sandbox_, spec);
      initialized_ = initialized_ || (c != nullptr && c->state != State::kExited);
    }
    previously_ = initialized_;
    for (std::size_t i = specs_.size(); i-- > 0;) {
      const Container* c = Named(sandbox_, specs_[i]);
      const bool sidecar = api::PodView::IsSidecar(specs_[i]);
      if (c == nullptr) {
        if (previously_ && sidecar) Start(i);
        continue;
      }
      if (previously_ && !sidecar) continue;
      if (!ExamineContainer(i, *c, sidecar)) return false;
      previously_ = true;
    }
    if (!previously_) Start(0);
    std::reverse(actions_.init_containers.begin(), actions_.init_containers.end());
    return initialized_;
  }

 private:
  void Start(std::size_t i) {
    actions_.init_containers.push_back(Starting(specs_[i], Named(sandbox_, specs_[i])));
  }

  void MarkCompleted(std::size_t i, bool starts_next) {
    if (i + 1 == specs_.size()) {
      initialized_ = true;
    } else if (starts_next) {
      Start(i + 1);
    }
  }

  // False: it has failed for good, and the pod with it.
  bool ExamineContainer(std::size_t i, const Container& c, bool sidecar) {
    if (c.state == State::kCreated) {
      Start(i);
    } else if (c.state == State::kRunning) {
      if (sidecar) ExamineSidecar(i, c);
    } else if (sidecar) {
      Start(i);
    } else if (c.exit_code == 0) {
      MarkCompleted(i, true);
    } else if (ShouldRestart(pod_, specs_[i], &c)) {
      Start(i);
    } else {
      actions_.kill_pod = true;
      actions_.init_containers.clear();
      return false;
    }
    return true;
  }

  void ExamineSidecar(std::size_t i, const Container& c) {
    const ProbeResults probes = probes_(c);
    if (probes.started) MarkCompleted(i, !previously_);
    if (!probes.failed_probe) return;
    actions_.kills.emplace_back(
        specs_[i], *probes.failed_probe,
        fmt::format("Init container {} failed {} probe", c.name, ToString(*probes.failed_probe)));
    Start(i);
  }

  const api::Object& pod_;
  const PodSandbox* sandbox_;
  const ProbesOf& probes_;
  PodActions& actions_;
  std::vector<Value> specs_;
  bool initialized_ = false;
  bool previously_ = false;  // known to be so from a container further down
};

}  // namespace

PodActions ComputePodActions(const api::Object& pod, const PodSandbox* sandbox,
                             const ProbesOf& probes) {
  PodActions actions;
  if (!InitActions(pod, sandbox, probes, &actions).Compute()) return actions;
  const bool again = api::PodView(pod).restart_policy() != "Never";
  bool keeps = false;
  for (const Value& spec : pod.spec().Get("containers").items()) {
    const Container* c = Named(sandbox, spec);
    if (c == nullptr || c->state != State::kRunning) {
      if (ShouldRestart(pod, spec, c)) actions.containers.push_back(Starting(spec, c));
      continue;
    }
    const std::optional<ProbeType> by = probes(*c).failed_probe;
    if (!by) {
      keeps = true;
      continue;
    }
    if (again) actions.containers.push_back(Starting(spec, c));
    actions.kills.emplace_back(spec, *by,
                               fmt::format("Container {} failed {} probe{}", c->name, ToString(*by),
                                           again ? ", will be restarted" : ""));
  }
  if (!keeps && actions.containers.empty()) {
    actions.kill_pod = true;
    actions.init_containers.clear();
  }
  return actions;
}

}  // namespace ksim::kubelet
