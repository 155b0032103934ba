#include "ksim/fault/drawn_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/apiserver/core/bus_payloads.h"
#include "ksim/client/core/payloads.h"
#include "ksim/fault/drawn_fault_kinds.h"
#include "ksim/store/events.h"
#include "ksim/trace/actors.h"

namespace ksim::fault {
namespace {

using sim::EventKind;
using value::Value;

constexpr Duration kNoRedial = Seconds(12);
constexpr int kCodes[] = {409, 500, 429, 504};
// Ahead and behind of the constants that clocks are compared with.
constexpr Duration kSkews[] = {Seconds(11),  Seconds(-11), Seconds(16),
                               Seconds(-16), Minutes(6),   Minutes(-6)};

// Of a small cluster's run: room without growing.
constexpr std::size_t kUsualSubjects = 64, kUsualTopics = 128;

bool IsWrite(api::Verb verb) {
  return verb != api::Verb::kGet && verb != api::Verb::kList && verb != api::Verb::kWatch;
}

// Traffic that goes on for ever: a fault there hits nothing that a run is about.
bool Background(std::string_view resource) { return resource == "leases" || resource == "events"; }

}  // namespace

const std::vector<std::string_view>& DrawnKinds() {
  static const std::vector<std::string_view> kinds{
      "dropWatch",  "expire",      "holdStream",   "delayStream",  "stallHandler",
      "pause",      "rejectWrite", "timeoutWrite", "reinitCache",  "connect",
      "crash",      "freezeCache", "compact",      "nodeSilent",   "restart",
      "partition",  "serverDown",  "skewClock",    "failover",     "gap",
      "stallInGap", "storm",       "compactInGap", "staleRestart", "swizzle"};
  return kinds;
}

std::vector<std::string_view> NamesInFuzz() {
  std::vector<std::string_view> out = DrawnKinds();
  out.insert(out.end(), {"delay", "order"});
  return out;
}

bool Allows(const std::vector<std::string>& faults, std::string_view name) {
  const auto given = [&faults](std::string_view n) {
    return std::find(faults.begin(), faults.end(), n) != faults.end();
  };
  const auto taken_away = [name](std::string_view n) {
    return n.starts_with('-') && n.substr(1) == name;
  };
  if (std::any_of(faults.begin(), faults.end(), taken_away)) return false;
  if (given(name)) return true;
  return name == "delay" ? Allows(faults, "delayStream") : given("*");
}

std::vector<std::string_view> AllowedKinds(const std::vector<std::string>& faults) {
  std::vector<std::string_view> out;
  for (std::string_view kind : DrawnKinds())
    if (Allows(faults, kind)) out.push_back(kind);
  return out;
}

Drawn::Drawn(Injector& injector, Cluster& cluster, const std::vector<std::string_view>& kinds)
    : injector_(injector), cluster_(cluster), on_(kKinds, false) {
  subjects_.reserve(kUsualSubjects);
  topics_.reserve(kUsualTopics);
  const std::vector<std::string_view>& all = DrawnKinds();
  for (std::size_t i = 0; i < all.size(); ++i)
    on_[i] = std::find(kinds.begin(), kinds.end(), all[i]) != kinds.end();
  cluster_.sim().bus().Subscribe(
      sim::Bus::Stage::kTrigger,
      {EventKind::kWatch, EventKind::kEvent, EventKind::kDeliver, EventKind::kHandler,
       EventKind::kRequest, EventKind::kCommit, EventKind::kResponse},
      [this](const sim::Event& e) { OnEvent(e); });
}

std::vector<std::pair<std::string_view, std::uint64_t>> Drawn::Counts() const {
  std::vector<std::pair<std::string_view, std::uint64_t>> out;
  for (std::string_view kind : DrawnKinds()) {
    const auto n = std::count_if(fired_.begin(), fired_.end(),
                                 [kind](const Fired& f) { return f.spec.verb == kind; });
    out.emplace_back(kind, static_cast<std::uint64_t>(n));
  }
  return out;
}

void Drawn::OnEvent(const sim::Event& e) {
  if (e.kind == EventKind::kWatch) {
    const auto* watch = dynamic_cast<const apiserver::WatchPayload*>(e.payload.get());
    if (watch != nullptr && watch->open) {
      const std::string client(watch->client.name());
      stream_clients_[watch->stream] = client;
      watched_[client].insert(watch->resource->resource);
      GoOn(e, client, watch->resource->resource);
    }
    const auto* store = dynamic_cast<const store::StoreWatchPayload*>(e.payload.get());
    if (store != nullptr && store->open) store_clients_[store->stream] = store->client;
    return;
  }
  if (!open_ || e.background) return;
  switch (e.kind) {
    case EventKind::kEvent:
      return OnWatchEvent(e);
    case EventKind::kDeliver:
      return OnDeliver(e);
    case EventKind::kHandler:
      return OnHandler(e);
    case EventKind::kRequest:
      return OnRequest(e);
    case EventKind::kCommit:
      return OnCommit(e);
    case EventKind::kResponse:
      return OnResponse(e);
    default:
      return;
  }
}

Drawn::Topic Drawn::About(std::string_view subject, std::uint64_t object) {
  const std::uint64_t hash = sim::KeyOf(subject);
  const auto [sites, new_subject] = subjects_.try_emplace(hash, sites_.size());
  if (new_subject) sites_.resize(sites_.size() + kKinds);
  const auto [asked, new_topic] = topics_.try_emplace(sim::KeyOf(hash, object), asked_.size());
  if (new_topic) asked_.resize(asked_.size() + kKinds);
  return {subject, object, sites->second, asked->second};
}

std::uint32_t Drawn::Ask(int kind, const Topic& topic, std::uint32_t n) {
  const auto i = static_cast<std::size_t>(kind);
  if (!on_[i]) return 0;
  sim::Decisions& decisions = cluster_.sim().decisions();
  sim::SiteId& site = sites_[topic.sites + i];
  if (site == sim::SiteId()) {
    std::string name = "fault.";
    name.append(DrawnKinds()[i]).append("/").append(topic.subject);
    site = decisions.Site(name);
  }
  const std::uint64_t ordinal = ++asked_[topic.asked + i];
  return decisions.ChooseOnce(site, sim::KeyOf(topic.object, ordinal), n);
}

void Drawn::Fire(const sim::Event& e, std::string_view verb, Value args) {
  Fired fired;
  fired.spec.verb = std::string(verb);
  fired.spec.args = std::move(args);
  fired.trigger = e.seq;
  injector_.FireAfterStep(fired.spec, Plan::kDrawn, e.seq);
  fired_.push_back(std::move(fired));
}

void Drawn::OnWatchEvent(const sim::Event& e) {
  const auto* event = dynamic_cast<const apiserver::EventPayload*>(e.payload.get());
  if (event == nullptr) return OnStoreEvent(e);
  const api::Object& about = event->body->object;
  const std::string& resource = event->body->resource->resource;
  if (Background(resource)) return;
  const auto client = stream_clients_.find(event->stream);
  if (client == stream_clients_.end()) return;
  const std::string subject = client->second + "/" + resource;
  const std::uint64_t object =
      cluster_.apiserver_shared().identities.Of(resource, about.ns(), about.name());
  const Topic topic = About(subject, object);
  const auto args = [&] { return StreamOf(client->second, resource); };
  if (const std::uint32_t how = Ask(kDropWatch, topic, 4); how != 0) {
    Value drop = args();
    if (how == 2) drop = drop.Set("how", Text("error"));
    if (how == 3) drop = drop.Set("redialAfter", Text(FormatDuration(kNoRedial)));
    Fire(e, "dropWatch", drop);
  }
  if (Ask(kExpire, topic, 2) != 0) {
    Fire(e, "expire", args());
    Fire(e, "dropWatch", args());
  }
  if (const std::uint32_t n = Ask(kHoldStream, topic, kSizes); n != 0)
    Fire(e, "holdStream", args().Set("for", LengthOf(n)));
  if (const std::uint32_t n = Ask(kDelayStream, topic, kSizes); n != 0)
    Fire(e, "delayStream", args().Set("by", LengthOf(n)));
  AskGap(e, client->second, resource, topic);
}

void Drawn::OnStoreEvent(const sim::Event& e) {
  const auto* event = dynamic_cast<const store::StoreEventPayload*>(e.payload.get());
  if (event == nullptr) return;
  const auto parts = event->parts();
  const auto server = store_clients_.find(event->stream);
  if (!parts || Background(parts->resource) || server == store_clients_.end()) return;
  const std::uint64_t object =
      cluster_.apiserver_shared().identities.Of(parts->resource, parts->ns, parts->name);
  const std::string subject = server->second + "/" + std::string(parts->resource);
  if (Ask(kDropWatch, subject, object, 2) == 0) return;
  Fire(e, "dropWatch", StreamOf(server->second, parts->resource));
}

void Drawn::OnDeliver(const sim::Event& e) {
  const auto* deliver = dynamic_cast<const client::DeliverPayload*>(e.payload.get());
  if (deliver == nullptr || Background(deliver->resource->resource)) return;
  GoOn(e, e.actor.name(), deliver->resource->resource);
}

// The listener alone, or with it the queue in front of its process' cache.
void Drawn::OnHandler(const sim::Event& e) {
  const auto& handler = e.payload.As<client::HandlerPayload>();
  const std::string& resource = handler.resource->resource;
  if (Background(resource)) return;
  const std::string actor(handler.listener.name());
  const std::uint64_t object = cluster_.apiserver_shared().identities.Of(
      resource, handler.object.ns(), handler.object.name());
  const std::uint32_t n = Ask(kStallHandler, actor + "/" + resource, object, 2 * kSizes - 1);
  if (n != 0) {
    const bool cache = n >= kSizes;
    value::ObjectBuilder args;
    args.Add("actor", Text(cache ? trace::ProcessOf(actor) : std::string_view(actor)));
    args.Add("resource", Text(resource));
    args.Add("for", LengthOf(cache ? n - kSizes + 1 : n));
    Fire(e, "stallHandler", args.Build());
  }
  if (const std::uint32_t length = Ask(kPause, actor, object, kSizes); length != 0) {
    value::ObjectBuilder args;
    args.Add("actor", Text(actor)).Add("for", LengthOf(length));
    Fire(e, "pause", args.Build());
  }
}

void Drawn::OnRequest(const sim::Event& e) {
  const auto& payload = e.payload.As<client::RequestPayload>();
  const api::Request& q = payload.request;
  if (q.resource == nullptr || Background(q.resource->resource) || q.client == "kubectl") return;
  const std::string& resource = q.resource->resource;
  const std::string subject = q.client + "/" + resource;
  std::string_view name = q.name;
  if (name.empty()) name = q.body.Get("metadata").Get("generateName").AsString();
  const std::uint64_t object = sim::KeyOf(
      api::ToString(q.verb), cluster_.apiserver_shared().identities.Of(resource, q.ns, name));
  if (IsWrite(q.verb)) {
    const Topic topic = About(subject, object);
    const auto args = [&] {
      return StreamOf(q.client, resource).Set("verb", Text(api::ToString(q.verb)));
    };
    if (const std::uint32_t n = Ask(kRejectWrite, topic, 5); n != 0)
      Fire(e, "rejectWrite", args().Set("code", Value::Of(kCodes[n - 1])));
    if (const std::uint32_t n = Ask(kTimeoutWrite, topic, 3); n != 0)
      Fire(e, "timeoutWrite", args().Set("applied", Value::Of(n == 1)));
    return;
  }
  if (q.verb == api::Verb::kGet) return;
  if (Ask(kReinitCache, payload.server + "/" + resource, object, 2) != 0) {
    value::ObjectBuilder args;
    args.Add("server", Text(payload.server)).Add("resource", Text(resource));
    Fire(e, "reinitCache", args.Build());
  }
  std::vector<std::string> others;
  for (const apiserver::Server* server : cluster_.servers())
    if (server->name() != payload.server) others.push_back(server->name());
  if (others.empty()) return;
  const auto n = static_cast<std::uint32_t>(others.size()) + 1;
  const std::uint32_t to = Ask(kConnect, q.client, object, n);
  if (to == 0) return;
  value::ObjectBuilder args;
  args.Add("client", Text(q.client)).Add("server", Text(others[to - 1]));
  Fire(e, "connect", args.Build());
}

void Drawn::OnCommit(const sim::Event& e) {
  const auto& commit = e.payload.As<store::CommitPayload>();
  const auto& parts = commit.parts();
  if (!parts || Background(parts->resource)) return;
  const std::string_view writer = trace::ProcessOf(commit.by.name());
  const std::uint64_t object =
      cluster_.apiserver_shared().identities.Of(parts->resource, parts->ns, parts->name);
  if (writer.starts_with("kubelet/")) {
    const std::string_view node = writer.substr(std::string_view("kubelet/").size());
    if (const std::uint32_t n = Ask(kNodeSilent, node, object, kSizes); n != 0) {
      value::ObjectBuilder args;
      args.Add("node", Text(node)).Add("for", LengthOf(n));
      Fire(e, "nodeSilent", args.Build());
    }
  } else if (!writer.starts_with("kube-apiserver") && writer != "kubectl" &&
             cluster_.sim().FindProcess(writer) != nullptr) {
    if (const std::uint32_t n = Ask(kCrash, writer, object, kSizes); n != 0) {
      value::ObjectBuilder args;
      args.Add("process", Text(writer)).Add("down", LengthOf(n));
      Fire(e, "crash", args.Build());
    }
    AskFailover(e, writer, object);
  }
  AskSwizzle(e, object);
  AskStorm(e, writer, object);
  AskStaleRestart(e, writer, parts->resource, object);
  for (const apiserver::Server* server : cluster_.servers()) {
    const std::string subject = server->name() + "/" + std::string(parts->resource);
    const std::uint32_t n = Ask(kFreezeCache, subject, object, kSizes);
    if (n == 0) continue;
    value::ObjectBuilder args;
    args.Add("server", Text(server->name())).Add("resource", Text(parts->resource));
    Fire(e, "freezeCache", args.Add("for", LengthOf(n)).Build());
  }
  if (commit.op != store::CommitOp::kDelete) return;
  AskCompactInGap(e, parts->resource, object);
  if (Ask(kCompact, "etcd", object, 2) == 0) return;
  value::ObjectBuilder args;
  Fire(e, "compact", args.Add("revision", Text("head")).Build());
}

// Of a replica: each other one may take over.
void Drawn::AskFailover(const sim::Event& e, std::string_view leader, std::uint64_t object) {
  std::vector<std::string> heirs;
  for (const sim::Process* replica : cluster_.ElectionOf(leader).replicas)
    if (replica->name() != leader) heirs.emplace_back(replica->name());
  if (heirs.empty()) return;
  const std::uint32_t to =
      Ask(kFailover, leader, object, static_cast<std::uint32_t>(heirs.size()) + 1);
  if (to == 0) return;
  value::ObjectBuilder args;
  args.Add("process", Text(leader)).Add("to", Text(heirs[to - 1]));
  Fire(e, "failover", args.Build());
}

void Drawn::OnResponse(const sim::Event& e) {
  const std::string_view process = trace::ProcessOf(e.actor.name());
  const auto& response = e.payload.As<client::ResponsePayload>();
  if (process == "kubectl" || process.starts_with("kube-apiserver") || response.object.empty())
    return;
  const std::string_view resource = response.object.kind();
  if (resource == "Lease" || resource == "Event") return;
  const std::uint64_t object = cluster_.apiserver_shared().identities.Of(
      resource, response.object.ns(), response.object.name());
  const std::uint64_t ordinal = ++responses_[sim::KeyOf(e.actor.name_hash(), object)];
  const apiserver::Server* first = cluster_.servers().front();
  if (ordinal % 2 == 1) {
    if (const std::uint32_t n = Ask(kRestart, process, object, kSizes); n != 0) {
      value::ObjectBuilder args;
      Fire(e, "restart", args.Add("process", Text(process)).Add("down", LengthOf(n)).Build());
    }
    const std::uint32_t n = Ask(kPartition, process, object, kSizes);
    if (n == 0) return;
    value::ObjectBuilder args;
    args.Add("between", Value::Array({Text(process), Text(first->name())}));
    return Fire(e, "partition", args.Add("for", LengthOf(n)).Build());
  }
  if (const std::uint32_t n = Ask(kServerDown, first->name(), object, kSizes); n != 0) {
    value::ObjectBuilder args;
    Fire(e, "serverDown", args.Add("server", Text(first->name())).Add("for", LengthOf(n)).Build());
  }
  const std::uint32_t n = Ask(kSkewClock, process, object, std::size(kSkews) + 1);
  if (n == 0) return;
  value::ObjectBuilder args;
  args.Add("process", Text(process)).Add("by", Text(FormatDuration(kSkews[n - 1])));
  Fire(e, "skewClock", args.Build());
}

}  // namespace ksim::fault
