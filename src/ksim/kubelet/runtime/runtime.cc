#include "ksim/kubelet/runtime/runtime.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "ksim/api/kinds.h"
#include "ksim/base/check.h"
#include "ksim/kubelet/runtime/behaviour.h"
#include "ksim/kubelet/runtime/payloads.h"
#include "ksim/kubelet/runtime/printed_lines.h"
#include "ksim/value/timestamp.h"

namespace ksim::kubelet {

namespace {

// How long the runtime takes. Orders of magnitude of containerd on a warm node.
struct Range {
  Duration min, max;
};
constexpr Range kSandbox{Milliseconds(100), Milliseconds(400)};
constexpr Range kPull{Milliseconds(500), Seconds(3)};
constexpr Range kRecheck{Milliseconds(50), Milliseconds(200)};  // Always, but layers present
constexpr Range kCreate{Milliseconds(20), Milliseconds(100)};
constexpr Range kStart{Milliseconds(30), Milliseconds(150)};
constexpr Range kStop{Milliseconds(50), Milliseconds(500)};
constexpr Range kInitRun{Milliseconds(500), Seconds(2)};
// A run counts as quiet although a container that restarted more often than this will restart
// again.
constexpr int kRestartsWaitedFor = 3;

bool IsOfJob(const api::Object& pod) {
  const std::optional<api::OwnerReference> owner = pod.controller();
  return owner && owner->kind == "Job";
}

// containerd's error for an image that its registry does not have, with the full name of the image.
std::string NotFound(std::string_view image) {
  return fmt::format(
      "rpc error: code = NotFound desc = failed to pull and unpack image \"{0}\": failed to "
      "resolve "
      "reference \"{0}\": {0}: not found",
      FullImageName(image));
}

}  // namespace

bool PodSandbox::AnyRunning() const {
  return std::any_of(containers.begin(), containers.end(), [](const auto& entry) {
    return entry.second.state == Container::State::kRunning;
  });
}

Runtime::Sites::Sites(sim::Decisions& decisions, const std::string& prefix)
    : sandbox(decisions.Site(prefix + "sandbox")),
      pull(decisions.Site(prefix + "pull")),
      create(decisions.Site(prefix + "create")),
      start(decisions.Site(prefix + "start")),
      stop(decisions.Site(prefix + "stop")),
      run(decisions.Site(prefix + "run")),
      container_id(decisions.Site("container/id")) {}

Runtime::Runtime(client::Environment& env, std::string node, std::string pod_network)
    : env_(env),
      node_(std::move(node)),
      actor_(sim::ActorId::Of("kubelet/" + node_)),
      sites_(env.sim.decisions(), "runtime/" + node_ + "/"),
      pod_network_(std::move(pod_network)),
      catalog_(std::make_shared<const ImageCatalog>()),
      pull_done_(env.sim) {}

void Runtime::UseImages(std::shared_ptr<const ImageCatalog> catalog) {
  catalog_ = std::move(catalog);
  for (const ImageSpec& image : catalog_->images())
    if (image.present) images_.insert(FullImageName(image.name));
}

void Runtime::UsePodNetwork(std::string_view cidr) {
  constexpr std::string_view kEnd = ".0/24";
  if (cidr.ends_with(kEnd)) pod_network_ = cidr.substr(0, cidr.size() - kEnd.size());
}

const PodSandbox* Runtime::Find(std::string_view uid) const {
  const auto it = pods_.find(std::string(uid));
  return it == pods_.end() ? nullptr : &it->second;
}

std::vector<std::string> Runtime::PodUids() const {
  std::vector<std::string> uids;
  for (const auto& [uid, pod] : pods_) uids.push_back(uid);
  return uids;
}

// Source: containernetworking/plugins plugins/ipam/host-local, which goes round from the address
// given last. With more pods than addresses two have the same.
std::string Runtime::TakeAddress(PodSandbox* sandbox) {
  constexpr std::size_t kFirst = 2, kLast = 254;  // .1 is the gateway's
  for (std::size_t i = kFirst; i <= kLast; ++i) {
    sandbox->address = next_address_;
    next_address_ = next_address_ == kLast ? kFirst : next_address_ + 1;
    if (!addresses_[sandbox->address]) break;
  }
  addresses_.set(sandbox->address);
  return fmt::format("{}.{}", pod_network_, sandbox->address);
}

sim::Task<void> Runtime::CreateSandbox(api::Object pod) {
  const std::string uid(pod.uid());
  const std::uint64_t identity = env_.IdentityOf("pods", pod.ns(), pod.name());
  const Duration latency =
      env_.sim.decisions().DrawDuration(sites_.sandbox, identity, kSandbox.min, kSandbox.max);
  co_await env_.sim.Spend(latency, sim::TimerKind::kWork, "create sandbox");
  PodSandbox& sandbox = pods_[uid];
  sandbox.pod = pod;
  sandbox.identity = identity;
  if (sandbox.ip.empty()) sandbox.ip = TakeAddress(&sandbox);
  sandbox.ready = true;
  Emit(sandbox, "", "sandbox", "ok");
  Changed(uid);
}

sim::Task<Runtime::Pulled> Runtime::PullImage(std::string uid, std::string container,
                                              std::string image) {
  const VirtualTime asked = env_.sim.now();
  while (pulling_) co_await pull_done_.Wait();
  // The turn ends with the frame, also if the kubelet dies in the middle of a pull.
  struct Turn {
    explicit Turn(Runtime& r) : runtime(r) { runtime.pulling_ = true; }
    ~Turn() {
      runtime.pulling_ = false;
      runtime.pull_done_.Notify();
    }
    Runtime& runtime;
  };
  const Turn turn(*this);
  const VirtualTime began = env_.sim.now();
  const std::uint64_t key = sim::KeyOf(Pod(uid).identity, sim::KeyOf(image));
  const Range range = HasImage(image) ? kRecheck : kPull;
  const Duration latency =
      env_.sim.decisions().DrawDuration(sites_.pull, key, range.min, range.max);
  const int before = Pod(uid).pulls[container]++;
  const std::optional<PullPlan> plan = PullPlanOf(Pod(uid).pod, container, before);
  const ImageSpec* const described = catalog_->Find(image);
  Duration takes = latency;
  if (described != nullptr && !HasImage(image)) takes = described->pull.value_or(takes);
  if (plan) takes = plan->after.value_or(takes);
  co_await env_.sim.Spend(takes, sim::TimerKind::kWork, "pull image");
  Pulled pulled;
  const bool missing = described != nullptr && described->missing;
  if (plan ? plan->fails : missing) {
    pulled.error = NotFound(image);
    Emit(Pod(uid), container, "pull", "failed");
    co_return pulled;
  }
  images_.insert(FullImageName(image));
  Emit(Pod(uid), container, "pull", "ok");
  pulled.took = env_.sim.now() - began;
  pulled.waited = env_.sim.now() - asked;
  pulled.bytes = catalog_->BytesOf(image);
  co_return pulled;
}

sim::Task<void> Runtime::CreateContainer(std::string uid, std::string name, std::string image,
                                         bool init) {
  const std::uint64_t key = sim::KeyOf(Pod(uid).identity, sim::KeyOf(name));
  const Duration latency =
      env_.sim.decisions().DrawDuration(sites_.create, key, kCreate.min, kCreate.max);
  co_await env_.sim.Spend(latency, sim::TimerKind::kWork, "create container");
  PodSandbox& pod = Pod(uid);
  Container container;
  container.name = name;
  container.image = image;
  container.image_id = catalog_->IdOf(image);
  container.id = "containerd://" + DrawHex(sites_.container_id, key);
  container.init = init;
  const auto before = pod.containers.find(name);
  if (before != pod.containers.end()) {
    container.restarts = before->second.restarts + 1;
    Container ended = before->second;
    ended.previous = nullptr;
    container.previous = std::make_shared<const Container>(std::move(ended));
  }
  pod.containers[name] = std::move(container);
  Emit(pod, name, "create", "ok");
  Changed(uid);
}

sim::Task<void> Runtime::StartContainer(std::string uid, std::string name) {
  const std::uint64_t key = sim::KeyOf(Pod(uid).identity, sim::KeyOf(name));
  const Duration latency =
      env_.sim.decisions().DrawDuration(sites_.start, key, kStart.min, kStart.max);
  co_await env_.sim.Spend(latency, sim::TimerKind::kWork, "start container");
  PodSandbox& pod = Pod(uid);
  Container& container = pod.containers[name];
  container.state = Container::State::kRunning;
  container.started = env_.sim.now();
  Emit(pod, name, "start", "ok");
  Changed(uid);
  PlanLines(uid, container);
  PlanEnd(uid, container);
}

// A run does not wait for a container that has been restarted again and again: it may never stop
// failing.
void Runtime::PlanEnd(const std::string& uid, const Container& container) {
  const PodSandbox& pod = Pod(uid);
  const std::uint64_t ordinal =
      env_.identities == nullptr ? 0 : env_.identities->OrdinalOf(pod.identity);
  std::optional<RunPlan> plan = PlanOf(pod.pod, container.name, container.restarts, ordinal);
  const ImageSpec* const image = catalog_->Find(container.image);
  if (!plan && image != nullptr && !image->exit.empty())
    plan = PlanIn(image->exit, container.restarts);
  if (!plan && container.init) {
    const std::uint64_t key = sim::KeyOf(pod.identity, sim::KeyOf(container.name));
    plan = RunPlan();
    plan->exit_code = 0;
    plan->after = env_.sim.decisions().DrawDuration(sites_.run, key, kInitRun.min, kInitRun.max);
  }
  if (!plan && !container.init && jobs_end_after_ > Duration() && IsOfJob(pod.pod)) {
    plan = RunPlan();
    plan->exit_code = 0;
    plan->after = jobs_end_after_;
  }
  if (!plan || !plan->exit_code) return;
  const bool waited = container.restarts <= kRestartsWaitedFor;
  AfterByTheClock(plan->after, waited ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic,
                  "container runs",
                  [this, uid, name = container.name, id = container.id, code = *plan->exit_code,
                   oom = plan->oom] { Exit(uid, name, id, code, "exit", oom); });
}

// A line that comes as the container ends comes before its end.
void Runtime::PlanLines(const std::string& uid, const Container& container) {
  const bool waited = container.restarts <= kRestartsWaitedFor;
  const sim::TimerKind kind = waited ? sim::TimerKind::kWork : sim::TimerKind::kPeriodic;
  for (PlannedLine& line : LinesOf(Pod(uid).pod, container.name, container.restarts)) {
    if (line.after == Duration()) {
      Print(uid, container.name, container.id, line.text);
      continue;
    }
    AfterByTheClock(line.after, kind, "container prints",
                    [this, uid, name = container.name, id = container.id,
                     text = std::move(line.text)] { Print(uid, name, id, text); });
  }
}

void Runtime::Print(const std::string& uid, const std::string& name, const std::string& id,
                    const std::string& line) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  const auto it = pod->second.containers.find(name);
  if (it == pod->second.containers.end() || it->second.id != id) return;
  if (it->second.state != Container::State::kRunning) return;
  const api::Object& object = pod->second.pod;
  auto* payload = new PrintedLine;
  payload->ns = std::string(object.ns());
  payload->pod = std::string(object.name());
  payload->uid = uid;
  payload->container = name;
  payload->text = line;
  const sim::EventInfo info{sim::EventKind::kLog,
                            api::ObjectHash("pods", object.ns(), object.name()), 0};
  env_.sim.EmitAs(actor_, env_.sim.context().cause, info, sim::PayloadRef(payload));
}

sim::Task<void> Runtime::KillContainer(std::string uid, std::string name, Duration grace) {
  const PodSandbox* pod = Find(uid);
  if (pod == nullptr) co_return;
  const auto it = pod->containers.find(name);
  if (it == pod->containers.end() || it->second.state != Container::State::kRunning) co_return;
  const std::string id = it->second.id;
  const std::uint64_t key = sim::KeyOf(pod->identity, sim::KeyOf(name));
  const Duration needs = env_.sim.decisions().DrawDuration(sites_.stop, key, kStop.min, kStop.max);
  const sim::Process* const node = machine();
  const Duration patience = node == nullptr ? grace : node->TimeOf(grace);
  const bool forced = needs > patience;
  co_await env_.sim.Spend(std::min(needs, patience), sim::TimerKind::kWork, "stop container");
  Exit(uid, name, id, forced ? kKillExitCode : kTermExitCode, "kill");
}

sim::Task<void> Runtime::StopSandbox(std::string uid) {
  if (Find(uid) == nullptr) co_return;
  const Duration latency = env_.sim.decisions().DrawDuration(sites_.sandbox, Pod(uid).identity,
                                                             kCreate.min, kCreate.max);
  co_await env_.sim.Spend(latency, sim::TimerKind::kWork, "stop sandbox");
  const auto it = pods_.find(uid);
  if (it == pods_.end()) co_return;
  it->second.ready = false;
  Changed(uid);
}

void Runtime::Adopt(const api::Object& pod) {
  const value::Value& status = pod.status();
  const auto ran = [](const value::Value& statuses) {
    return std::any_of(statuses.items().begin(), statuses.items().end(),
                       [](const auto& s) { return !s.Get("containerID").AsString().empty(); });
  };
  const std::string_view ip = status.Get("podIP").AsString();
  const bool any = ran(status.Get("containerStatuses")) || ran(status.Get("initContainerStatuses"));
  const std::string_view phase = status.Get("phase").AsString();
  const bool over = phase == "Succeeded" || phase == "Failed";
  if (!any && !over && ip.empty()) return;  // its kubelet has not begun with it
  const std::string uid(pod.uid());
  PodSandbox& sandbox = pods_[uid];
  sandbox.pod = pod;
  sandbox.identity = env_.IdentityOf("pods", pod.ns(), pod.name());
  sandbox.adopted = true;
  sandbox.ip = ip;
  const std::string network = pod_network_ + ".";
  std::size_t last = 0;
  const auto [end, error] =
      ip.starts_with(network)
          ? std::from_chars(ip.data() + network.size(), ip.data() + ip.size(), last)
          : std::from_chars_result{nullptr, std::errc::invalid_argument};
  if (error == std::errc() && last < addresses_.size()) {
    sandbox.address = last;
    addresses_.set(last);
    next_address_ = std::max(next_address_, last + 1 > 254 ? 2 : last + 1);
  }
  sandbox.ready = !over;
  env_.sim.context().cause = 0;
  Emit(sandbox, "", "sandbox", "ok");
  for (const value::Value& s : status.Get("initContainerStatuses").items())
    AdoptContainer(uid, s, true);
  for (const value::Value& s : status.Get("containerStatuses").items())
    AdoptContainer(uid, s, false);
  env_.sim.context().cause = 0;
}

// A container that waits to be started again is the one that ended last.
void Runtime::AdoptContainer(const std::string& uid, const value::Value& status, bool init) {
  PodSandbox& pod = Pod(uid);
  const value::Value& state = status.Get("state");
  const value::Value& last = status.Get("lastState").Get("terminated");
  const value::Value& ended = state.Has("waiting") ? last : state.Get("terminated");
  if (status.Get("containerID").AsString().empty()) return;
  if (ended.is_null() && !state.Has("running")) return;
  const auto time = [](const value::Value& text) {
    return value::ParseTimestamp(text.AsString()).value_or(VirtualTime());
  };
  const auto take_end = [&time](const value::Value& end, Container* container) {
    container->state = Container::State::kExited;
    container->id = end.Get("containerID").AsString();
    container->exit_code = static_cast<int>(end.Get("exitCode").AsInt());
    container->started = time(end.Get("startedAt"));
    container->finished = container->steadily_finished = time(end.Get("finishedAt"));
  };
  Container container;
  container.name = status.Get("name").AsString();
  container.image = status.Get("image").AsString();
  container.image_id = status.Get("imageID").AsString();
  container.init = init;
  container.restarts = static_cast<int>(status.Get("restartCount").AsInt());
  container.told = status;
  if (!last.is_null() && !state.Has("waiting")) {
    Container before = container;
    before.told = value::Value();
    take_end(last, &before);
    container.previous = std::make_shared<const Container>(std::move(before));
  }
  if (ended.is_null()) {
    container.state = Container::State::kRunning;
    container.started = time(state.Get("running").Get("startedAt"));
  } else {
    take_end(ended, &container);
  }
  container.id = status.Get("containerID").AsString();
  for (const char* list : {"initContainers", "containers"})
    for (const value::Value& spec : pod.pod.spec().Get(list).items())
      if (spec.Get("name").AsString() == container.name)
        images_.insert(FullImageName(spec.Get("image").AsString()));
  const std::string name = container.name;
  const bool runs = container.state == Container::State::kRunning;
  const int code = container.exit_code;
  pod.containers[name] = std::move(container);
  Emit(pod, name, "create", "ok");
  Emit(pod, name, "start", "ok");
  if (runs)
    PlanEnd(uid, pod.containers[name]);
  else
    Emit(pod, name, "exit", fmt::format("exit {}", code));
}

void Runtime::RemovePod(std::string_view uid) {
  const auto it = pods_.find(std::string(uid));
  if (it == pods_.end()) return;
  Emit(it->second, "", "remove", "ok");
  addresses_.reset(it->second.address);
  pods_.erase(it);
}

void Runtime::MarkPlayed(const api::Object& pod) {
  const auto [at, fresh] = played_.try_emplace(std::string(pod.uid()));
  at->second.pod = pod;
  if (fresh) Emit(at->second, "", "stages", "ok");
}

const std::string& Runtime::AddressOf(const api::Object& pod) {
  PodSandbox& played = played_[std::string(pod.uid())];
  if (played.ip.empty()) played.ip = TakeAddress(&played);
  return played.ip;
}

void Runtime::EmitStage(const api::Object& pod, std::string stage) {
  PodSandbox sandbox;
  sandbox.pod = pod;
  Emit(sandbox, "", "stage", std::move(stage));
}

void Runtime::ForgetPlayed(std::string_view uid) {
  const auto it = played_.find(std::string(uid));
  if (it == played_.end()) return;
  addresses_.reset(it->second.address);
  played_.erase(it);
}

std::vector<std::string> Runtime::PlayedUids() const {
  std::vector<std::string> uids;
  for (const auto& [uid, pod] : played_) uids.push_back(uid);
  return uids;
}

void Runtime::AfterByTheClock(Duration delay, sim::TimerKind kind, const char* label,
                              absl::AnyInvocable<void()> call) {
  sim::Process* const node = machine();
  if (node == nullptr) {
    env_.sim.After(delay, kind, label, std::move(call));
  } else {
    node->After(delay, kind, label, std::move(call));
  }
}

PodSandbox& Runtime::Pod(const std::string& uid) {
  const auto it = pods_.find(uid);
  KSIM_CHECK(it != pods_.end(), "no sandbox of pod {}", uid);
  return it->second;
}

void Runtime::Changed(const std::string& uid) {
  if (listener_) listener_(uid);
}

void Runtime::Exit(const std::string& uid, const std::string& name, const std::string& id, int code,
                   std::string_view action, bool oom) {
  const auto pod = pods_.find(uid);
  if (pod == pods_.end()) return;
  const auto it = pod->second.containers.find(name);
  if (it == pod->second.containers.end() || it->second.id != id) return;
  if (it->second.state == Container::State::kExited) return;
  it->second.state = Container::State::kExited;
  it->second.told = value::Value();
  it->second.finished = env_.sim.now();
  const sim::Process* const node = machine();
  it->second.steadily_finished = node == nullptr ? env_.sim.now() : node->SteadyNow();
  it->second.exit_code = code;
  it->second.oom = oom;
  Emit(pod->second, name, action, fmt::format("exit {}", code));
  Changed(uid);
}

void Runtime::Set(Trouble trouble, bool on) {
  const bool changed = on ? troubles_.insert(trouble).second : troubles_.erase(trouble) > 0;
  if (changed && trouble_listener_) trouble_listener_();
}

std::string Runtime::DrawHex(sim::SiteId site, std::uint64_t key) {
  std::string hex;
  hex.reserve(64);
  for (int i = 0; i < 4; ++i) {
    const std::uint64_t drawn = env_.sim.decisions().Draw(site, key);
    fmt::format_to(std::back_inserter(hex), FMT_COMPILE("{:016x}"), drawn);
  }
  return hex;
}

void Runtime::Emit(const PodSandbox& pod, std::string_view container, std::string_view action,
                   std::string result) {
  auto* payload = new RuntimePayload;
  payload->ns = std::string(pod.pod.ns());
  payload->pod = std::string(pod.pod.name());
  payload->uid = std::string(pod.pod.uid());
  payload->node = node_;
  payload->container = std::string(container);
  payload->action = std::string(action);
  payload->result = std::move(result);
  const sim::EventInfo info{sim::EventKind::kRuntime,
                            api::ObjectHash("pods", pod.pod.ns(), pod.pod.name()), 0};
  // This event is the cause of what the kubelet does next.
  sim::Context& context = env_.sim.context();
  context.cause = env_.sim.EmitAs(actor_, context.cause, info, sim::PayloadRef(payload));
}

}  // namespace ksim::kubelet
