#include "ksim/fault/drawn_faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/api/core/verbs.h"
#include "ksim/apiserver/core/payloads.h"
#include "ksim/base/check.h"
#include "ksim/client/core/payloads.h"
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/event_trigger.h"
#include "ksim/store/events.h"
#include "ksim/trace/actors.h"

namespace ksim::fault {
namespace {

using sim::EventKind;
using value::Value;

// Room for a small cluster's run without growing.
constexpr std::size_t kUsualSubjects = 64, kUsualTopics = 128;

// Whether it is traffic that goes on for ever: a fault there hits nothing that a run is about.
bool IsBackground(std::string_view resource) {
  return resource == "leases" || resource == "events";
}

// All kinds, each at its number.
const std::vector<DrawnKind>& AllKinds() {
  static const std::vector<DrawnKind> all = [] {
    std::vector<DrawnKind> out = Motifs();
    for (const FaultVerb& verb : Catalogue())
      if (verb.drawn.number >= 0) out.push_back({verb.name, verb.drawn});
    std::sort(out.begin(), out.end(),
              [](const DrawnKind& a, const DrawnKind& b) { return a.rule.number < b.rule.number; });
    for (std::size_t i = 0; i < out.size(); ++i)
      KSIM_CHECK(out[i].rule.number == static_cast<int>(i)) << "two drawn faults of one number";
    return out;
  }();
  return all;
}

}  // namespace

const std::vector<std::string_view>& DrawnKinds() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> out;
    for (const DrawnKind& kind : AllKinds()) out.push_back(kind.name);
    return out;
  }();
  return names;
}

bool IsLaterKind(std::string_view kind) {
  const std::vector<std::string_view>& kinds = DrawnKinds();
  return std::find(kinds.begin() + kFirstLaterKind, kinds.end(), kind) != kinds.end();
}

std::vector<std::string_view> NamesInFuzz() {
  std::vector<std::string_view> out = DrawnKinds();
  out.insert(out.end(), {"delay", "order", "reseed"});
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

DrawnFaults::DrawnFaults(Injector& injector, Cluster& cluster,
                         const std::vector<std::string_view>& kinds)
    : injector_(injector), cluster_(cluster) {
  subjects_.reserve(kUsualSubjects);
  topics_.reserve(kUsualTopics);
  for (const DrawnKind& kind : AllKinds())
    if (std::find(kinds.begin(), kinds.end(), kind.name) != kinds.end()) AddQuestions(kind);
  for (std::vector<Question>& at_point : questions_)
    std::stable_sort(at_point.begin(), at_point.end(),
                     [](const Question& a, const Question& b) { return a.turn < b.turn; });
  cluster_.sim().bus().Subscribe(
      sim::Bus::Stage::kTrigger,
      {EventKind::kWatch, EventKind::kEvent, EventKind::kDeliver, EventKind::kHandler,
       EventKind::kRequest, EventKind::kCommit, EventKind::kResponse, EventKind::kWebhook},
      [this](const sim::Event& e) { OnEvent(e); });
}

void DrawnFaults::AddQuestions(const DrawnKind& kind) {
  for (const DrawnRule::At& at : kind.rule.at) {
    if (at.ask == nullptr) continue;
    Question question;
    question.kind = kind.rule.number;
    question.turn = at.turn;
    question.ask = at.ask;
    questions_[static_cast<std::size_t>(at.point)].push_back(question);
  }
}

std::vector<std::pair<std::string_view, std::uint64_t>> DrawnFaults::Counts() const {
  std::vector<std::pair<std::string_view, std::uint64_t>> out;
  for (std::string_view kind : DrawnKinds()) {
    const auto n = std::count_if(fired_.begin(), fired_.end(),
                                 [kind](const Fired& f) { return f.spec.verb == kind; });
    out.emplace_back(kind, static_cast<std::uint64_t>(n));
  }
  return out;
}

void DrawnFaults::OnEvent(const sim::Event& e) {
  if (e.kind == EventKind::kWatch) return OnWatch(e);
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
    case EventKind::kWebhook:
      return OnWebhook(e);
    default:
      return;
  }
}

void DrawnFaults::AskAt(DrawnPoint point, const Moment& at) {
  for (const Question& q : questions_[static_cast<std::size_t>(point)]) {
    DrawnQuestion question(*this, q.kind, at);
    q.ask(question);
  }
}

DrawnFaults::Topic DrawnFaults::About(std::string_view subject, std::uint64_t object) {
  const std::size_t kinds = DrawnKinds().size();
  const std::uint64_t hash = sim::KeyOf(subject);
  const auto [sites, new_subject] = subjects_.try_emplace(hash, sites_.size());
  if (new_subject) sites_.resize(sites_.size() + kinds);
  const auto [asked, new_topic] = topics_.try_emplace(sim::KeyOf(hash, object), asked_.size());
  if (new_topic) asked_.resize(asked_.size() + kinds);
  return {subject, object, sites->second, asked->second};
}

std::uint32_t DrawnFaults::Ask(int kind, const Topic& topic, std::uint32_t n) {
  const auto i = static_cast<std::size_t>(kind);
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

void DrawnFaults::Fire(const sim::Event& e, std::string_view verb, Value args) {
  Fired fired;
  fired.spec.verb = std::string(verb);
  fired.spec.args = std::move(args);
  fired.trigger = e.seq;
  injector_.FireAfterStep(fired.spec, Plan::kDrawn, e.seq);
  fired_.push_back(std::move(fired));
}

// Keeps who watches what, also before the faults open.
void DrawnFaults::OnWatch(const sim::Event& e) {
  const auto* watch = dynamic_cast<const apiserver::WatchPayload*>(e.payload.get());
  if (watch != nullptr && watch->open) {
    const std::string client(watch->client.name());
    stream_clients_[watch->stream] = client;
    motifs_.watched[client].insert(watch->resource->known_as());
    motifs_.watched_at.insert_or_assign(client, std::string(watch->server.name()));
    CallAwaiting(e, client, watch->resource->known_as());
  }
  const auto* store = dynamic_cast<const store::StoreWatchPayload*>(e.payload.get());
  if (store != nullptr && store->open) store_clients_[store->stream] = store->client;
}

void DrawnFaults::OnWatchEvent(const sim::Event& e) {
  const auto* event = dynamic_cast<const apiserver::EventPayload*>(e.payload.get());
  if (event == nullptr) return OnStoreEvent(e);
  const api::Object& about = event->body->object;
  const std::string& resource = event->body->resource->known_as();
  if (IsBackground(resource)) return;
  const auto client = stream_clients_.find(event->stream);
  if (client == stream_clients_.end()) return;
  const std::string subject = client->second + "/" + resource;
  Moment at(e);
  at.client = client->second;
  at.resource = resource;
  at.object = cluster_.apiserver_shared().identities.Of(resource, about.ns(), about.name());
  at.stream = About(subject, at.object);
  AskAt(DrawnPoint::kWatchEvent, at);
}

void DrawnFaults::OnStoreEvent(const sim::Event& e) {
  const auto* event = dynamic_cast<const store::StoreEventPayload*>(e.payload.get());
  if (event == nullptr) return;
  const auto parts = event->parts();
  const auto server = store_clients_.find(event->stream);
  if (!parts || IsBackground(parts->resource) || server == store_clients_.end()) return;
  Moment at(e);
  at.server = server->second;
  at.resource = parts->resource;
  at.object = cluster_.apiserver_shared().identities.Of(parts->resource, parts->ns, parts->name);
  AskAt(DrawnPoint::kStoreWatchEvent, at);
}

void DrawnFaults::OnDeliver(const sim::Event& e) {
  const auto* deliver = dynamic_cast<const client::DeliverPayload*>(e.payload.get());
  if (deliver == nullptr || IsBackground(deliver->resource->known_as())) return;
  CallAwaiting(e, e.actor.name(), deliver->resource->known_as(),
               deliver->type == api::WatchEventType::kDeleted);
}

void DrawnFaults::OnHandler(const sim::Event& e) {
  const auto& handler = e.payload.As<client::HandlerPayload>();
  const std::string& resource = handler.resource->known_as();
  if (IsBackground(resource)) return;
  Moment at(e);
  at.client = handler.listener.name();
  at.resource = resource;
  at.object = cluster_.apiserver_shared().identities.Of(resource, handler.object.ns(),
                                                        handler.object.name());
  AskAt(DrawnPoint::kHandlerCall, at);
}

void DrawnFaults::OnRequest(const sim::Event& e) {
  const auto& payload = e.payload.As<client::RequestPayload>();
  const api::Request& q = payload.request;
  if (q.resource == nullptr || IsBackground(q.resource->known_as()) || q.client == "kubectl")
    return;
  const std::string& resource = q.resource->known_as();
  const std::string subject = q.client + "/" + resource;
  std::string_view name = q.name;
  if (name.empty()) name = q.body.Get("metadata").Get("generateName").AsString();
  Moment at(e);
  at.client = q.client;
  at.server = payload.server;
  at.resource = resource;
  at.verb = api::ToString(q.verb);
  at.object = sim::KeyOf(at.verb, cluster_.apiserver_shared().identities.Of(resource, q.ns, name));
  if (!api::IsRead(q.verb)) {
    at.stream = About(subject, at.object);
    AskAt(DrawnPoint::kWriteRequest, at);
  } else if (q.verb != api::Verb::kGet) {
    AskAt(DrawnPoint::kReadRequest, at);
  }
}

void DrawnFaults::OnCommit(const sim::Event& e) {
  const auto& commit = e.payload.As<store::CommitPayload>();
  const auto& parts = commit.parts();
  if (!parts || IsBackground(parts->resource)) return;
  const std::string_view writer = trace::ProcessOf(commit.by.name());
  Moment at(e);
  at.client = writer;
  at.resource = parts->resource;
  at.object = cluster_.apiserver_shared().identities.Of(parts->resource, parts->ns, parts->name);
  std::string& last_writer = last_writers_[at.object];
  const std::string before = last_writer;
  at.last_writer = before;
  if (writer.starts_with("kubelet/")) {
    last_writer = writer;
    AskAt(DrawnPoint::kKubeletCommit, at);
  } else if (!writer.starts_with("kube-apiserver") && writer != "kubectl" &&
             cluster_.sim().FindProcess(writer) != nullptr) {
    last_writer = writer;
    AskAt(DrawnPoint::kComponentCommit, at);
  }
  AskAt(DrawnPoint::kCommit, at);
  if (commit.op == store::CommitOp::kDelete) AskAt(DrawnPoint::kDeletion, at);
}

void DrawnFaults::OnResponse(const sim::Event& e) {
  const std::string_view process = trace::ProcessOf(e.actor.name());
  const auto& response = e.payload.As<client::ResponsePayload>();
  if (process == "kubectl" || process.starts_with("kube-apiserver") || response.object.empty())
    return;
  const std::string_view resource = response.object.kind();
  if (resource == "Lease" || resource == "Event") return;
  Moment at(e);
  at.client = process;
  at.server = cluster_.servers().front()->name();
  at.object = cluster_.apiserver_shared().identities.Of(resource, response.object.ns(),
                                                        response.object.name());
  const std::uint64_t ordinal = ++responses_[sim::KeyOf(e.actor.name_hash(), at.object)];
  AskAt(ordinal % 2 == 1 ? DrawnPoint::kOddResponse : DrawnPoint::kEvenResponse, at);
}

void DrawnFaults::OnWebhook(const sim::Event& e) {
  const auto& call = e.payload.As<apiserver::WebhookPayload>();
  if (call.state != "call") return;
  Moment at(e);
  at.server = e.actor.name();
  at.resource = call.webhook;
  at.object = sim::KeyOf(call.webhook);
  AskAt(DrawnPoint::kWebhookCall, at);
}

std::vector<Spec> DrawnFaults::FiredAsScript(const std::vector<sim::Event>& events) const {
  std::vector<Spec> out;
  for (const Fired& fired : fired_) {
    if (fired.trigger == 0 || fired.trigger > events.size()) continue;
    Spec spec = fired.spec;
    spec.when = TriggerOf(events, fired.trigger);
    out.push_back(std::move(spec));
  }
  return out;
}

}  // namespace ksim::fault
