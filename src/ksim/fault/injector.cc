#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/fault/fault_call.h"
#include "ksim/store/events.h"
#include "ksim/trace/events.h"

namespace ksim::fault {
namespace {

struct NamedVerb {
  std::string_view name;
  Verb verb;
};

constexpr NamedVerb kVerbs[] = {{"dropWatch", DropWatch},
                                {"delayStream", DelayStream},
                                {"holdStream", HoldStream},
                                {"releaseStream", ReleaseStream},
                                {"stallHandler", StallHandler},
                                {"expire", Expire},
                                {"compact", Compact},
                                {"freezeCache", FreezeCache},
                                {"thawCache", ThawCache},
                                {"reinitCache", ReinitCache},
                                {"restart", Restart},
                                {"crash", Crash},
                                {"failover", Failover},
                                {"connect", Connect},
                                {"pause", Pause},
                                {"resume", Resume},
                                {"rejectWrite", RejectWrite},
                                {"timeoutWrite", TimeoutWrite},
                                {"nodeSilent", NodeSilent},
                                {"nodeTrouble", NodeTrouble},
                                {"serverDown", ServerDown},
                                {"partition", Partition},
                                {"skewClock", SkewClock}};

Verb FindVerb(std::string_view name) {
  for (const NamedVerb& v : kVerbs)
    if (v.name == name) return v.verb;
  return nullptr;
}

// The step that a fault makes: nobody's, caused by `cause`, and always work.
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

Outcome InVain() {
  Outcome outcome;
  outcome.state = Outcome::State::kSkipped;
  outcome.why = "nothing came that it could strike";
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

struct Injector::Active {
  std::string id;
  Spec spec;
  std::string target;
  Plan plan = Plan::kScripted;
  std::uint64_t begin = 0;  // seq of its `fault` event; 0 = not begun
  Effect effect;
  Outcome* outcome = nullptr;  // of the script; null for drawn ones
  bool waiting() const { return effect.strikes != nullptr; }
};

Injector::Injector(Cluster& cluster) : cluster_(cluster), triggers_(cluster.sim()) {
  cluster_.apiserver_shared().expire_watch = [this](const api::Request& request) {
    return Expires(request);
  };
}

Injector::~Injector() { cluster_.apiserver_shared().expire_watch = nullptr; }

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
      triggers_.Add(*script_[i].when, fire);
      continue;
    }
    const VirtualTime due = VirtualTime() + script_[i].at.value_or(Duration());
    sim.After(std::max(Duration(), due - sim.now()), sim::TimerKind::kWork, "fault",
              [fire] { fire(0); });
  }
}

bool Injector::Fire(const Spec& spec, Plan plan, std::uint64_t cause) {
  return Begin(spec, plan, fmt::format("d{}", next_drawn_++), cause, nullptr);
}

void Injector::FireAfterStep(Spec spec, Plan plan, std::uint64_t cause) {
  cluster_.sim().Defer([this, spec = std::move(spec), plan, cause] { Fire(spec, plan, cause); });
}

bool Injector::Begin(const Spec& spec, Plan plan, std::string id, std::uint64_t cause,
                     Outcome* outcome) {
  const Verb verb = FindVerb(spec.verb);
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
  Call call(*this, active.spec, id);
  Effect effect = verb(call);
  if (outcome != nullptr) {
    outcome->state = effect.skipped.empty() ? Outcome::State::kFired : Outcome::State::kSkipped;
    outcome->why = effect.skipped;
  }
  if (!effect.skipped.empty()) {
    Emit(active, "skipped", cause);
    Remove(id);
    return false;
  }
  TakeEffect(id, std::move(effect));
  return true;
}

// The fault has begun, or struck, and this is how it goes on.
void Injector::TakeEffect(const std::string& id, Effect effect) {
  Active* active = Find(id);
  if (active == nullptr) return;
  active->effect = std::move(effect);
  const std::optional<Duration> lasts = active->effect.lasts;
  if (active->waiting() || !lasts) return;
  // A kill takes effect when this step returns: what is left to undo is undone after it.
  if (*lasts <= Duration() && !active->effect.undo) return End(id, active->begin);
  cluster_.sim().After(*lasts, sim::TimerKind::kWork, "fault", [this, id] {
    if (const Active* still = Find(id)) End(id, still->begin);
  });
}

void Injector::Strike(const std::string& id, std::uint64_t cause) {
  Active* active = Find(id);
  if (active == nullptr || !active->waiting()) return;
  FaultScope scope(cluster_.sim(), cause);
  Effect waited = std::move(active->effect);
  if (waited.undo) waited.undo();
  TakeEffect(id, waited.strikes());
}

void Injector::End(const std::string& id, std::uint64_t cause) {
  Active* active = Find(id);
  if (active == nullptr) return;
  FaultScope scope(cluster_.sim(), cause);
  const bool in_vain = active->waiting();
  if (in_vain && active->outcome != nullptr) *active->outcome = InVain();
  cluster_.sim().context().cause = Emit(*active, in_vain ? "skipped" : "end", cause);
  const std::function<void()> undo = std::move(active->effect.undo);
  Remove(id);
  if (undo) undo();
}

void Injector::HealAll(std::uint64_t cause) {
  while (!active_.empty()) End(std::string(active_.back()->id), cause);
}

void Injector::GiveUp() {
  for (const auto& a : active_)
    if (a->waiting() && a->outcome != nullptr) *a->outcome = InVain();
}

std::size_t Injector::in_force() const { return active_.size(); }

bool Injector::only_the_heal_ends() const {
  for (std::size_t i = 0; i < script_.size(); ++i)
    if (script_[i].at && outcomes_[i].state == Outcome::State::kNotFired) return false;
  const auto ends = [](const auto& a) { return !a->waiting() && a->effect.lasts.has_value(); };
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
  const auto asked = expirations_;  // one that says yes takes itself away
  return std::any_of(asked.begin(), asked.end(),
                     [&request](const auto& e) { return e.second(request); });
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

void Call::Begin() {
  Injector::Active* active = injector_.Find(id_);
  active->begin = injector_.Emit(*active, "begin", sim().context().cause);
  sim().context().cause = active->begin;
}

bool Call::InForce(std::string_view verb) const {
  const std::string target = TargetOf(spec_);
  return std::any_of(injector_.active_.begin(), injector_.active_.end(),
                     [&](const auto& a) { return a->spec.verb == verb && a->target == target; });
}

void Call::EndOf(std::string_view verb) {
  const std::string target = TargetOf(spec_);
  std::vector<std::string> ids;
  for (const auto& a : injector_.active_)
    if (a->spec.verb == verb && a->target == target) ids.push_back(a->id);
  for (const std::string& id : ids) injector_.End(id, sim().context().cause);
}

std::function<void(std::uint64_t)> Call::Struck() {
  return [injector = &injector_, id = id_](std::uint64_t cause) {
    injector->cluster_.sim().Defer([injector, id, cause] { injector->Strike(id, cause); });
  };
}

std::function<void()> Call::AfterWrite(const sim::Process& process, std::int64_t n) {
  if (!injector_.counts_writes_) {
    injector_.counts_writes_ = true;
    sim().bus().Subscribe(sim::Bus::Stage::kTrigger,
                          [injector = &injector_](const sim::Event& e) { injector->OnCommit(e); });
  }
  Injector::CountedWrites counted;
  counted.id = id_;
  counted.process = &process;
  counted.left = n;
  injector_.counted_writes_.push_back(std::move(counted));
  return [injector = &injector_, id = id_] {
    std::erase_if(injector->counted_writes_, [&id](const auto& c) { return c.id == id; });
  };
}

std::function<void()> Call::UntilOneLeads(std::vector<const sim::Process*> any_of) {
  if (!injector_.awaits_leaders_) {
    injector_.awaits_leaders_ = true;
    sim().bus().Subscribe(sim::Bus::Stage::kTrigger,
                          [injector = &injector_](const sim::Event& e) { injector->OnLead(e); });
  }
  Injector::AwaitedLeader awaited;
  awaited.id = id_;
  awaited.any_of = std::move(any_of);
  injector_.awaited_leaders_.push_back(std::move(awaited));
  return [injector = &injector_, id = id_] {
    std::erase_if(injector->awaited_leaders_, [&id](const auto& a) { return a.id == id; });
  };
}

std::function<void()> Call::ExpireWatches(std::function<bool(const api::Request&)> expires) {
  injector_.expirations_.emplace_back(id_, std::move(expires));
  return [injector = &injector_, id = id_] {
    std::erase_if(injector->expirations_, [&id](const auto& e) { return e.first == id; });
  };
}

std::vector<std::string_view> Verbs() {
  std::vector<std::string_view> out;
  for (const NamedVerb& v : kVerbs) out.push_back(v.name);
  return out;
}

}  // namespace ksim::fault
