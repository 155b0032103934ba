#include "ksim/check/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "ksim/base/hash.h"
#include "ksim/fault/catalogue.h"
#include "ksim/store/object_key.h"

namespace ksim::check {
namespace {

// An answer that took longer was held up on its way: a server waits 3 s for a revision to come.
constexpr std::int64_t kPromptAnswer = Seconds(10).ns();

using Kind = sim::EventKind;
using Type = api::WatchEventType;

// Decimal digits only; nothing otherwise.
std::optional<std::int64_t> ParseRevision(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::int64_t n = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    n = n * 10 + (c - '0');
  }
  return n;
}

// Whether the effect of such a fault lasts until the fault ends.
bool NeedsUndoing(std::string_view verb) {
  const fault::FaultVerb* known = fault::FindVerb(verb);
  return known != nullptr && known->needs_undoing;
}

// The part of an actor's name after its process, "" if it has none. A kubelet's process has a '/'.
std::string_view PartOf(std::string_view actor) {
  if (actor.starts_with("kubelet/")) return {};
  const std::size_t slash = actor.find('/');
  return slash == std::string_view::npos ? std::string_view() : actor.substr(slash + 1);
}

// Whether an actor is the process or a part of it.
bool IsOf(std::string_view actor, std::string_view process) {
  return actor.starts_with(process) &&
         (actor.size() == process.size() || actor[process.size()] == '/');
}

}  // namespace

std::string Stream::Name() const {
  const std::string what = sequence.collection().ToString();
  if (level == Level::kStore) return fmt::format("{}'s watch {} on etcd ({})", client, id, what);
  return fmt::format("{}'s watch {} on {} ({})", client, id, server, what);
}

// Room for a small cluster's lists and watches without growing.
Facts::Facts(api::Compat compat) : profile_(ProfileOf(compat)) {
  constexpr std::size_t kUsual = 64;
  reads_.reserve(kUsual);
  for (auto& level : by_id_) level.reserve(kUsual);
}

void Facts::Take(const Observation& o) {
  now_ = o.t;
  if (o.kind == Kind::kFault) clocks_.On(o);
  unseen_pods_.On(clocks_, o);
  sync_views_.On(*this, o);
  given_up_.On(*this, o);
  switch (o.kind) {
    case Kind::kCommit:
      return history_.Take(o);
    case Kind::kRequest:
      return TakeRequest(o);
    case Kind::kWatch:
      return TakeWatch(o);
    case Kind::kResponse:
      return TakeResponse(o);
    case Kind::kDeliver:
      return TakeDelivery(o);
    case Kind::kHandler:
      return TakeHandler(o);
    case Kind::kRelist:
      return TakeRelist(o);
    case Kind::kCache:
      informer_ = &InformerOf(o.informer);
      return;
    case Kind::kReconcile:
      return NotePart(o.actor);
    case Kind::kFault:
      return TakeFault(o);
    case Kind::kPhase:
      if (o.state == "heal") last_fault_ = o.t;  // drawn faults need not be told to end
      return;
    case Kind::kStep:
      last_step_ = o.t;
      return;
    case Kind::kActor:
      if (o.state != "lead" && o.state != "lose") TakeProcess(o.target);
      return;
    case Kind::kCompact:
      return ForgetUpTo(std::min(o.rv, history_.revision()));
    default:
      return;
  }
}

std::int64_t Facts::watched_since(std::string_view resource) const {
  const auto it = watched_since_.find(resource);
  return it == watched_since_.end() ? 0 : it->second;
}

void Facts::NotePart(std::string_view actor) {
  scheduler_ = scheduler_ || actor == "kube-scheduler";
  const std::string_view part = PartOf(actor);
  if (!part.empty() && parts_.find(part) == parts_.end()) parts_.emplace(part);
}

void Facts::TakeRequest(const Observation& o) {
  NotePart(o.actor);
  if (o.verb != "list" && o.verb != "watch") return;
  ReadRequest& r = reads_[o.request];
  r.actor = o.actor;
  r.collection = std::make_shared<const Collection>(o.resource, o.ns, o.name, o.label_selector,
                                                    o.field_selector);
  r.rv = o.rv_text;
  r.sent = o.t;
  r.revision = history_.revision();
  r.send_initial = o.send_initial;
  r.limited = o.limited;
  r.continued = o.continued;
  r.list = o.verb == "list";
}

const ReadRequest* Facts::Read(std::uint64_t request) const {
  const auto it = reads_.find(request);
  return it == reads_.end() ? nullptr : &it->second;
}

void Facts::TakeResponse(const Observation& o) {
  const bool unanswered = o.lost || o.code == 0;
  const auto read = reads_.find(o.request);
  if (read == reads_.end()) return;
  ReadRequest* const request = &read->second;
  request->over = true;
  if (!request->list) return;
  const bool late = o.t - request->sent > kPromptAnswer;
  if (!unanswered && !late && o.code < 400) return;
  Informer* informer = FindInformer(request->actor, request->collection->resource());
  if (informer == nullptr) return;
  if (late && informer->refused_since != 0) informer->refused_since += o.t - request->sent;
  if (!unanswered && o.code < 400) return;
  // No answer says nothing about what was asked for.
  if (unanswered) informer->refused_since = informer->refusal = 0;
  if (unanswered || informer->refused_since != 0) return;
  // The kind is gone with its definition: what watched it asks on for ever, as upstream's does.
  if (o.code == 404 && informer->listed) return;
  informer->refused_since = o.t;
  informer->refusal = o.seq;
}

Stream* Facts::FindStream(Level level, std::uint64_t id) {
  const auto& index = by_id_[static_cast<int>(level)];
  const auto it = index.find(id);
  return it == index.end() ? nullptr : it->second;
}

void Facts::EndStream(Stream* stream) {
  stream->over = true;
  stream->last_revision = history_.revision();
}

Stream& Facts::NewStream(const Observation& o) {
  streams_.push_back(std::make_unique<Stream>());
  Stream& s = *streams_.back();
  s.level = o.level;
  s.id = o.stream;
  s.server = o.server;
  s.client = o.client;
  s.opened = o.seq;
  by_id_[static_cast<int>(o.level)][o.stream] = &s;
  return s;
}

void Facts::TakeWatch(const Observation& o) {
  // Events on the wire may still arrive after the server closes a watch: the close shows nothing.
  if (!o.open) {
    if (Stream* s = FindStream(o.level, o.stream)) EndStream(s);
    return;
  }
  Stream& s = NewStream(o);
  const std::optional<std::int64_t> rv = ParseRevision(o.rv_text);
  if (o.level == Level::kStore) {
    const std::optional<store::ObjectParts> parts = store::PartsOfKey(o.key);
    const std::string_view plural = parts ? parts->resource : std::string_view();
    const std::string_view resource = o.resource.empty() ? plural : o.resource;
    auto collection =
        std::make_shared<const Collection>(resource, parts ? parts->ns : std::string_view(),
                                           parts ? parts->name : std::string_view(), "", "");
    // etcd sends from the revision on; without one, what comes after it was created.
    const std::int64_t start = rv.value_or(0) > 0 ? *rv - 1 : history_.revision();
    const bool filtered = o.options.find("noPut") != std::string_view::npos ||
                          o.options.find("noDelete") != std::string_view::npos;
    s.sequence = filtered ? WatchSequence::FromSomewhere(
                                std::make_shared<const Collection>(Collection::Opaque(resource)))
                          : WatchSequence::From(std::move(collection), start);
    watched_since_.insert_or_assign(std::string(resource), o.t);
    return;
  }
  s.request = o.request;
  const ReadRequest* request = Read(o.request);
  std::shared_ptr<const Collection> collection;
  if (request != nullptr) {
    collection = request->collection;
    s.reflectors = request->actor == o.client;
  } else {
    collection = std::make_shared<const Collection>(o.resource, o.ns, "", "", "");
  }
  const bool from_state = request != nullptr && request->send_initial;
  const bool any = rv.value_or(0) == 0;
  const bool initial_off = o.options.find("sendInitialEvents=false") != std::string_view::npos;
  if (from_state || (any && !initial_off))
    s.sequence = WatchSequence::FromState(std::move(collection), from_state);
  else
    s.sequence = any ? WatchSequence::FromSomewhere(std::move(collection))
                     : WatchSequence::From(std::move(collection), *rv);
}

void Facts::TakeDelivery(const Observation& o) {
  delivery_.informer = nullptr;
  delivery_.resumed = SequenceStep();
  Stream* s = FindStream(o.level, o.stream);
  if (s == nullptr) {
    s = &NewStream(o);
    s->client = o.actor;
    // Nobody saw it open; or it was forgotten, and what it is about with it.
    s->sequence = WatchSequence::FromSomewhere(std::make_shared<const Collection>(
        forgot_streams_ ? Collection::Opaque(o.resource) : Collection(o.resource, "", "", "", "")));
    s->over = true;
  }
  if (s->over) {
    EndStream(s);
    s->sequence.SkipForgotten(history_);
  }
  delivery_.stream = s;
  const bool was_state = s->sequence.in_state();
  delivery_.step = s->sequence.Take(history_, o);
  if (!s->reflectors || o.type == Type::kError) return;
  Informer* informer = FindInformer(s->client, o.resource);
  if (informer == nullptr) return;
  if (!was_state) {
    delivery_.informer = informer;
    if (informer->listed) delivery_.resumed = informer->sequence.Take(history_, o);
    if (o.rv > informer->served) {
      informer->served = o.rv;
      informer->told = o.seq;
    }
  }
}

Informer& Facts::InformerOf(std::string_view name) {
  const auto it = informer_index_.find(Hash64(name));
  if (it != informer_index_.end()) return *informers_[it->second];
  auto informer = std::make_unique<Informer>();
  informer->name = name;
  const std::size_t space = name.rfind(' ');
  informer->process = name.substr(0, space);
  informer->resource = space == std::string_view::npos ? "" : name.substr(space + 1);
  informer_index_[Hash64(name)] = informers_.size();
  informers_.push_back(std::move(informer));
  return *informers_.back();
}

Informer* Facts::FindInformer(std::string_view process, std::string_view resource) {
  char buffer[256];
  if (process.size() + resource.size() + 1 > sizeof(buffer)) return nullptr;
  char* end = std::copy(process.begin(), process.end(), buffer);
  *end++ = ' ';
  end = std::copy(resource.begin(), resource.end(), end);
  const std::string_view name(buffer, static_cast<std::size_t>(end - buffer));
  const auto it = informer_index_.find(Hash64(name));
  return it == informer_index_.end() ? nullptr : informers_[it->second].get();
}

void Facts::TakeRelist(const Observation& o) {
  Informer& i = InformerOf(o.informer);
  informer_ = &i;
  served_before_ = i.served;
  told_before_ = i.told;
  refused_before_ = std::exchange(i.refused_since, 0);
  refusal_before_ = std::exchange(i.refusal, 0);
  if (const ReadRequest* request = Read(o.last_request)) i.collection = request->collection;
  if (i.collection == nullptr)
    i.collection = std::make_shared<const Collection>(o.resource, "", "", "", "");
  i.sequence = WatchSequence::From(i.collection, o.rv);
  i.listed = true;
  i.relist = i.told = o.seq;
  i.served = o.rv;
  i.reported &= ~std::uint32_t{7};  // resume.* begin anew
}

void Facts::TakeHandler(const Observation& o) {
  Informer& i = InformerOf(o.informer);
  handler_ = HandlerStep();
  handler_.informer = &i;
  for (const auto& l : i.listeners)
    if (l->name == o.listener) handler_.listener = l.get();
  if (handler_.listener == nullptr) {
    i.listeners.push_back(std::make_unique<Listener>());
    handler_.listener = i.listeners.back().get();
    handler_.listener->name = o.listener;
  }
  auto& view = handler_.listener->view;
  const auto it = view.find(o.object);
  handler_.known = it != view.end();
  if (handler_.known) handler_.before = it->second;
  if (o.call == HandlerCall::kDelete) {
    if (handler_.known) view.erase(it);
    return;
  }
  Told told;
  told.rv = o.rv;
  told.uid = Hash64(o.uid);
  const bool same = handler_.known && handler_.before.uid == told.uid;
  told.since = same ? handler_.before.since : o.seq;
  view[o.object] = told;
}

bool Facts::AControllerWaits() const {
  constexpr std::string_view kOwners[] = {"replicasets", "statefulsets", "daemonsets"};
  for (const std::string_view resource : kOwners) {
    for (const CommittedChange* change : history_.Of(resource)) {
      if (change->after.is_null() || history_.Newest(change->object) != change) continue;
      if (unseen_pods_.AwaitedBy(change->uid()) || unseen_pods_.MissedBy(change->uid()))
        return true;
    }
  }
  return false;
}

void Facts::TakeFault(const Observation& o) {
  last_fault_ = o.t;
  const std::string id(o.key);
  if (o.state == "begin" && NeedsUndoing(o.verb))
    faults_[id] = fmt::format("{} {}", o.verb, o.target);
  if (o.state == "end" || o.state == "skipped") faults_.erase(id);
}

// A process that stops or starts has no memory, and no connections.
void Facts::TakeProcess(std::string_view process) {
  for (const auto& stream : streams_)
    if (stream->client == process || stream->server == process) {
      if (!stream->over) EndStream(stream.get());
      stream->reader_gone |= stream->client == process;
    }
  for (auto& [id, read] : reads_)
    if (IsOf(read.actor, process)) read.over = true;
  for (auto& informer : informers_) {
    if (informer->process != process) continue;
    auto fresh = std::make_unique<Informer>();
    fresh->name = informer->name;
    fresh->process = informer->process;
    fresh->resource = informer->resource;
    *informer = std::move(*fresh);
  }
}

// The store has forgotten what it was before `revision`: nobody can list or watch from there any
// more. Forgets that too, but for what somebody still waits for who began earlier.
void Facts::ForgetUpTo(std::int64_t revision) {
  absl::flat_hash_map<std::uint64_t, std::size_t> held;  // positions by resource; looked up only
  const auto hold = [&](const WatchSequence& sequence) {
    const ResourceChanges& all = sequence.collection().ChangesIn(history_);
    const std::size_t end = all.After(revision);
    const std::size_t awaited = sequence.Awaits(history_, end);
    if (awaited == end) return;
    const auto [it, fresh] = held.emplace(sequence.collection().resource_hash(), awaited);
    if (!fresh) it->second = std::min(it->second, awaited);
  };
  // A reflector reads its stream until it opens the next one, however late what was on its way is.
  absl::flat_hash_set<std::pair<std::uint64_t, std::uint64_t>> read[2];  // client and resource
  for (std::size_t i = streams_.size(); i-- > 0;) {
    std::unique_ptr<Stream>& s = streams_[i];
    const std::uint64_t resource = s->sequence.collection().resource_hash();
    const bool of_cache = (s->reflectors || s->level == Level::kStore) && !s->reader_gone;
    const bool newest =
        of_cache && read[static_cast<int>(s->level)].emplace(Hash64(s->client), resource).second;
    const bool owes = s->sequence.Unkept().lost != nullptr;
    // The events that its server wrote before it closed the stream may still arrive.
    const bool recent = !s->reader_gone && s->last_revision > revision;
    // An API server serves what its last watch told it, also while it cannot reach etcd.
    if (!s->over || owes || recent || (newest && s->level == Level::kStore)) hold(s->sequence);
    if (!s->over || owes || newest || s->last_revision > revision) continue;
    if (FindStream(s->level, s->id) == s.get()) by_id_[static_cast<int>(s->level)].erase(s->id);
    s = nullptr;
    forgot_streams_ = true;
  }
  delivery_ = Delivery();
  std::erase(streams_, nullptr);
  for (const auto& informer : informers_)
    if (informer->listed) hold(informer->sequence);
  // A list that is streamed may take longer than that: its request is needed at its end.
  absl::flat_hash_set<std::uint64_t> streamed;
  for (const auto& s : streams_) streamed.insert(s->request);
  absl::erase_if(reads_, [&](const auto& entry) {
    return entry.second.over && entry.second.revision <= revision &&
           !streamed.contains(entry.first);
  });
  history_.Forget(revision, held);
}

std::vector<Informer*> Facts::informers() const {
  std::vector<Informer*> out;
  for (const auto& informer : informers_)
    if (informer->listed) out.push_back(informer.get());
  return out;
}

std::vector<std::string> Facts::Beliefs(std::uint64_t object) const {
  std::vector<std::string> out;
  const CommittedChange* newest = history_.Newest(object);
  if (newest == nullptr) return out;
  const bool there = !newest->after.is_null();
  for (const Informer* i : informers()) {
    if (i->resource != newest->resource || i->listeners.empty()) continue;
    const auto it = i->listeners.front()->view.find(object);
    const std::int64_t believed = it == i->listeners.front()->view.end() ? 0 : it->second.rv;
    if (believed == (there ? newest->revision : 0)) continue;
    if (believed == 0 && !i->collection->Has(*newest, newest->after)) continue;
    const std::string what = believed == 0 ? "not there" : fmt::format("revision {}", believed);
    out.push_back(fmt::format("{} believes {}: {} (told up to {})", i->name, newest->Name(), what,
                              i->served));
  }
  return out;
}

bool Facts::SawActor(std::string_view part) const { return parts_.contains(part); }

}  // namespace ksim::check
