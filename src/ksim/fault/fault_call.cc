#include "ksim/fault/fault_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ksim/fault/catalogue.h"

namespace ksim::fault {

FaultEffect Skipped(std::string why) {
  FaultEffect effect;
  effect.skipped = std::move(why);
  return effect;
}

FaultEffect AtOnce() {
  FaultEffect effect;
  effect.lasts = Duration();
  return effect;
}

std::string TargetOf(const Spec& spec) {
  std::string out;
  const auto add = [&out](std::string_view text) {
    if (!text.empty()) out += (out.empty() ? "" : " ") + std::string(text);
  };
  const FaultVerb* verb = FindVerb(spec.verb);
  if (verb == nullptr) return out;
  for (const Argument& argument : verb->arguments) {
    if (!argument.befalls) continue;
    const value::Value& given = spec.args.Get(argument.name);
    add(given.AsString());
    for (const value::Value& side : given.items()) add(side.AsString());
  }
  add(verb->befalls);
  return out;
}

FaultEffect EndOthers(FaultCall& call) {
  const FaultVerb& verb = *FindVerb(call.spec().verb);
  const auto in_force = [&call](std::string_view other) { return call.IsInForce(other); };
  if (std::none_of(verb.ends.begin(), verb.ends.end(), in_force))
    return Skipped(fmt::format("{} is not {}", TargetOf(call.spec()), verb.state));
  call.Begin();
  for (const std::string_view other : verb.ends) call.EndAll(other);
  return AtOnce();
}

bool FaultCall::Has(std::string_view name) const { return !spec_.args.Get(name).is_null(); }

std::string FaultCall::Text(std::string_view name) const {
  return std::string(spec_.args.Get(name).AsString());
}

std::optional<Duration> FaultCall::Time(std::string_view name) const {
  const auto parsed = ParseDuration(spec_.args.Get(name).AsString());
  return parsed.ok() ? std::optional<Duration>(*parsed) : std::nullopt;
}

std::int64_t FaultCall::Int(std::string_view name) const { return spec_.args.Get(name).AsInt(); }

const api::ResourceInfo* FaultCall::Resource() const {
  const api::Kinds& kinds = injector_.cluster_.kinds();
  // A drawn fault names it as the simulation does, a user as kubectl does.
  const api::ResourceInfo* const known = kinds.KnownAs(Text("resource"));
  return known != nullptr ? known : kinds.ByName(Text("resource"));
}

sim::Process* FaultCall::Process(std::string_view name) const {
  return injector_.cluster_.sim().FindProcess(Text(name));
}

apiserver::Server* FaultCall::Server(std::string_view name) const {
  for (apiserver::Server* server : injector_.cluster_.servers())
    if (server->name() == Text(name)) return server;
  return nullptr;
}

void FaultCall::Begin() {
  Injector::Active* active = injector_.Find(id_);
  active->begin = injector_.Emit(*active, "begin", sim().context().cause);
  sim().context().cause = active->begin;
}

bool FaultCall::IsInForce(std::string_view verb) const {
  const std::string target = TargetOf(spec_);
  return std::any_of(injector_.active_.begin(), injector_.active_.end(),
                     [&](const auto& a) { return a->spec.verb == verb && a->target == target; });
}

void FaultCall::EndAll(std::string_view verb) {
  const std::string target = TargetOf(spec_);
  std::vector<std::string> ids;
  for (const auto& a : injector_.active_)
    if (a->spec.verb == verb && a->target == target) ids.push_back(a->id);
  for (const std::string& id : ids) injector_.End(id, sim().context().cause);
}

std::function<void(std::uint64_t)> FaultCall::Struck() {
  return [injector = &injector_, id = id_](std::uint64_t cause) {
    injector->cluster_.sim().Defer([injector, id, cause] { injector->Strike(id, cause); });
  };
}

std::function<void(std::uint64_t)> FaultCall::Over() {
  return [injector = &injector_, id = id_](std::uint64_t cause) {
    injector->cluster_.sim().Defer([injector, id, cause] { injector->End(id, cause); });
  };
}

std::function<void()> FaultCall::AfterWrite(const sim::Process& process, std::int64_t n) {
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

std::function<void()> FaultCall::UntilOneLeads(std::vector<const sim::Process*> any_of) {
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

std::function<void()> FaultCall::ExpireWatches(std::function<bool(const api::Request&)> expires) {
  injector_.expirations_.emplace_back(id_, std::move(expires));
  return [injector = &injector_, id = id_] {
    std::erase_if(injector->expirations_, [&id](const auto& e) { return e.first == id; });
  };
}

std::function<void()> FaultCall::BefallCommits(
    std::function<apiserver::CommitFault(const api::Request&)> befall) {
  Injector* injector = &injector_;
  // Servers ask only while there is somebody to ask.
  cluster().apiserver_shared().commit_fault = [injector](const api::Request& request) {
    return injector->FaultOfCommit(request);
  };
  injector->commit_faults_.emplace_back(id_, std::move(befall));
  return [injector, id = id_] {
    std::erase_if(injector->commit_faults_, [&id](const auto& c) { return c.first == id; });
  };
}

std::function<void()> FaultCall::BefallWebhooks(
    std::function<apiserver::WebhookFault(std::string_view, std::uint64_t)> befall) {
  Injector* injector = &injector_;
  cluster().apiserver_shared().webhook_fault = [injector](std::string_view webhook,
                                                          std::uint64_t event) {
    return injector->FaultOfWebhook(webhook, event);
  };
  injector->webhook_faults_.emplace_back(id_, std::move(befall));
  return [injector, id = id_] {
    std::erase_if(injector->webhook_faults_, [&id](const auto& w) { return w.first == id; });
  };
}

std::function<void()> FaultCall::DropBookmarks(
    std::function<bool(std::string_view, const api::ResourceInfo&)> drops) {
  Injector* injector = &injector_;
  cluster().apiserver_shared().drop_bookmark = [injector](std::string_view client,
                                                          const api::ResourceInfo& r) {
    return injector->DropsBookmark(client, r);
  };
  injector->bookmark_faults_.emplace_back(id_, std::move(drops));
  return [injector, id = id_] {
    std::erase_if(injector->bookmark_faults_, [&id](const auto& b) { return b.first == id; });
  };
}

}  // namespace ksim::fault
