#include "ksim/fault/injector.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/fault/catalogue.h"
#include "ksim/fault/fault_call.h"
#include "ksim/store/events.h"
#include "ksim/trace/events.h"

namespace ksim::fault {
namespace {

// The context of a step that a fault makes: it has no actor but ksim, `cause` led to it, and it is
// work.
class FaultScope {
 public:
  FaultScope(sim::Simulation& sim, std::uint64_t cause) : sim_(sim), saved_(sim.context()) {
    sim_.context() = sim::Context{nullptr, sim::ActorId::Of("ksim"), cause, false};
  }
  FaultScope(const FaultScope&) = delete;
  ~FaultScope() { sim_.context() = saved_; }

 private:
  sim::Simulation& sim_;
  sim::Context saved_;
};

FaultOutcome StruckNothing(const FaultEffect& effect) {
  FaultOutcome outcome;
  outcome.state = FaultOutcome::State::kSkipped;
  if (effect.passed_over) outcome.why = effect.passed_over();
  if (outcome.why.empty()) outcome.why = "nothing came that it could strike";
  return outcome;
}

bool IsBackground(const store::CommitPayload& commit) {
  const auto& parts = commit.parts();
  return parts && (parts->resource == "leases" || parts->resource == "events");
}

bool WrittenBy(const store::CommitPayload& commit, const sim::Process& process) {
  const std::string_view by = commit.by.name();
  return by == process.name() ||
         (by.starts_with(process.name()) && by[process.name().size()] == '/');
}

}  // namespace

Injector::Injector(Cluster& cluster) : cluster_(cluster), triggers_(cluster.sim()) {
  cluster_.apiserver_shared().expire_watch = [this](const api::Request& request) {
    return Expires(request);
  };
}

Injector::~Injector() {
  cluster_.apiserver_shared().expire_watch = nullptr;
  cluster_.apiserver_shared().commit_fault = nullptr;
  cluster_.apiserver_shared().webhook_fault = nullptr;
  cluster_.apiserver_shared().drop_bookmark = nullptr;
}

void Injector::Arm(const std::vector<Spec>& script) {
  KSIM_CHECK(script_.empty()) << "one script a run";
  script_ = script;
  outcomes_.resize(script_.size());
  sim::Simulation& sim = cluster_.sim();
  for (std::size_t i = 0; i < script_.size(); ++i) {
    const auto fire = [this, i](std::uint64_t cause) {
      Begin(script_[i], Plan::kScripted, fmt::format("{}", i + 1), cause, &outcomes_[i]);
    };
    if (script_[i].when) {
      triggers_.Add(WithKnownResource(*script_[i].when, cluster_.kinds()), fire);
      continue;
    }
    const VirtualTime due = VirtualTime() + script_[i].at.value_or(Duration());
    sim.After(std::max(Duration(), due - sim.now()), sim::TimerKind::kWork, "fault",
              [fire] { fire(0); });
  }
}

bool Injector::Fire(const Spec& spec, Plan plan, std::uint64_t cause, std::string* why) {
  return Begin(spec, plan, fmt::format("d{}", next_drawn_++), cause, nullptr, why);
}

void Injector::FireAfterStep(Spec spec, Plan plan, std::uint64_t cause) {
  cluster_.sim().Defer([this, spec = std::move(spec), plan, cause] { Fire(spec, plan, cause); });
}

bool Injector::Begin(const Spec& spec, Plan plan, std::string id, std::uint64_t cause,
                     FaultOutcome* outcome, std::string* why) {
  const FaultVerb* verb = FindVerb(spec.verb);
  KSIM_CHECK(verb != nullptr) << "no fault " << spec.verb;
  auto owned = std::make_unique<Active>();
  Active& active = *owned;
  active.id = id;
  active.spec = spec;
  active.target = TargetOf(spec);
  active.plan = plan;
  active.outcome = outcome;
  active_.push_back(std::move(owned));
  FaultScope scope(cluster_.sim(), cause);
  FaultCall call(*this, active.spec, id);
  FaultEffect effect = verb->apply(call);
  if (outcome != nullptr) {
    outcome->state =
        effect.skipped.empty() ? FaultOutcome::State::kFired : FaultOutcome::State::kSkipped;
    outcome->why = effect.skipped;
  }
  if (!effect.skipped.empty()) {
    if (why != nullptr) *why = effect.skipped;
    Emit(active, "skipped", cause);
    Remove(id);
    return false;
  }
  TakeEffect(id, std::move(effect));
  return true;
}

// Goes on with a fault that has begun, or struck.
void Injector::TakeEffect(const std::string& id, FaultEffect effect) {
  Active* active = Find(id);
  if (active == nullptr) return;
  active->effect = std::move(effect);
  const std::optional<Duration> lasts = active->effect.lasts;
  if (!lasts) return;
  // A kill takes effect when this step returns, so `undo` runs after it.
  if (*lasts <= Duration() && !active->effect.undo && !active->waiting())
    return End(id, active->begin);
  cluster_.sim().After(*lasts, sim::TimerKind::kWork, "fault", [this, id] {
    if (const Active* still = Find(id)) End(id, still->begin);
  });
}

void Injector::Strike(const std::string& id, std::uint64_t cause) {
  Active* active = Find(id);
  if (active == nullptr || !active->waiting()) return;
  FaultScope scope(cluster_.sim(), cause);
  FaultEffect waited = std::move(active->effect);
  if (waited.undo) waited.undo();
  TakeEffect(id, waited.strikes());
}

void Injector::End(const std::string& id, std::uint64_t cause) {
  Active* active = Find(id);
  if (active == nullptr) return;
  FaultScope scope(cluster_.sim(), cause);
  const bool struck_nothing = active->waiting();
  if (struck_nothing && active->outcome != nullptr)
    *active->outcome = StruckNothing(active->effect);
  cluster_.sim().context().cause = Emit(*active, struck_nothing ? "skipped" : "end", cause);
  const std::function<void()> undo = std::move(active->effect.undo);
  Remove(id);
  if (undo) undo();
}

void Injector::HealAll(std::uint64_t cause) {
  while (!active_.empty()) End(std::string(active_.back()->id), cause);
}

void Injector::GiveUp() {
  for (const auto& a : active_)
    if (a->waiting() && a->outcome != nullptr) *a->outcome = StruckNothing(a->effect);
}

std::size_t Injector::in_force() const { return active_.size(); }

bool Injector::only_the_heal_ends() const {
  for (std::size_t i = 0; i < script_.size(); ++i)
    if (script_[i].at && outcomes_[i].state == FaultOutcome::State::kNotFired) return false;
  const auto ends = [](const auto& a) { return a->effect.lasts.has_value(); };
  return !active_.empty() && std::none_of(active_.begin(), active_.end(), ends);
}

std::vector<std::string> Injector::DescribeInForce() const {
  std::vector<std::string> out;
  for (const auto& a : active_) out.push_back(fmt::format("{} {}", a->spec.verb, a->target));
  return out;
}

Injector::Active* Injector::Find(const std::string& id) {
  for (const auto& a : active_)
    if (a->id == id) return a.get();
  return nullptr;
}

void Injector::Remove(const std::string& id) {
  std::erase_if(active_, [&id](const auto& a) { return a->id == id; });
}

std::uint64_t Injector::Emit(const Active& active, const char* state, std::uint64_t cause) {
  auto* payload = new trace::FaultPayload;
  payload->id = active.id;
  payload->verb = active.spec.verb;
  payload->target = active.target;
  payload->args = active.spec.args;
  payload->plan = active.plan == Plan::kScripted ? "scripted" : "drawn";
  payload->state = state;
  return cluster_.sim().EmitAs(sim::ActorId::Of("ksim"), cause,
                               sim::EventInfo{sim::EventKind::kFault}, sim::PayloadRef(payload));
}

bool Injector::Expires(const api::Request& request) {
  const auto asked = expirations_;  // an expiration that says yes removes itself
  return std::any_of(asked.begin(), asked.end(),
                     [&request](const auto& e) { return e.second(request); });
}

apiserver::CommitFault Injector::FaultOfCommit(const api::Request& request) {
  const auto asked = commit_faults_;  // a fault that strikes removes itself
  for (const auto& [id, befall] : asked) {
    const apiserver::CommitFault fault = befall(request);
    if (fault.kind != apiserver::CommitFault::Kind::kNone) return fault;
  }
  return apiserver::CommitFault();
}

apiserver::WebhookFault Injector::FaultOfWebhook(std::string_view webhook, std::uint64_t event) {
  apiserver::WebhookFault worst;
  for (const auto& [id, befall] : webhook_faults_) {
    const apiserver::WebhookFault fault = befall(webhook, event);
    worst.hangs = worst.hangs || fault.hangs;
    worst.later = std::max(worst.later, fault.later);
  }
  return worst;
}

bool Injector::DropsBookmark(std::string_view client, const api::ResourceInfo& r) {
  bool dropped = false;
  for (const auto& [id, drops] : bookmark_faults_) dropped = drops(client, r) || dropped;
  return dropped;
}

void Injector::OnCommit(const sim::Event& e) {
  if (e.kind != sim::EventKind::kCommit || counted_writes_.empty()) return;
  const auto& commit = e.payload.As<store::CommitPayload>();
  if (IsBackground(commit)) return;
  for (CountedWrites& counted : counted_writes_) {
    if (counted.left == 0 || !WrittenBy(commit, *counted.process) || --counted.left > 0) continue;
    cluster_.sim().Defer([this, id = counted.id, seq = e.seq] { Strike(id, seq); });
  }
}

void Injector::OnLead(const sim::Event& e) {
  if (e.kind != sim::EventKind::kActor || awaited_leaders_.empty()) return;
  const auto& actor = e.payload.As<trace::ActorPayload>();
  if (actor.state != "lead") return;
  for (const AwaitedLeader& awaited : awaited_leaders_) {
    const bool awaits = std::any_of(awaited.any_of.begin(), awaited.any_of.end(),
                                    [&](const auto* p) { return p->name() == actor.process; });
    if (awaits) cluster_.sim().Defer([this, id = awaited.id, seq = e.seq] { End(id, seq); });
  }
}

}  // namespace ksim::fault
