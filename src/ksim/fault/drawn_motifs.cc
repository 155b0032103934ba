// Motifs: plans of several faults that fit together, each one decision. What a motif does later
// hangs on an event of the run, so it can be written as a script like any other fault.
//
//   gap           a client's watch is away for a while and resumes with 410: what happens
//                 meanwhile, a deletion and another creation, shows only in a list
//   stallInGap    the same, and the queue in front of the cache stands still until after that list
//   storm         all watches of a process end with 410; when they are open again (answer 2) they
//                 break once more, or (3) move to another API server and break there
//   compactInGap  etcd is compacted at a deletion that an API server has not heard of
//   staleRestart  a process dies, and comes back to an API server whose cache is frozen
//   timeTravel    an API server's cache is frozen before the end of an object begins; a process
//                 hears of that end elsewhere, dies, and comes back to the past (Sieve's name)
//   swizzle       the clients lose their API server one by one, commit by commit, and have it back
//                 in the opposite order (FoundationDB's swizzle-clogging)
//
// clockRate is a fault alone: skewClock with a rate, whose own question is about a step.
#include <utility>

#include "ksim/api/core/fields.h"
#include "ksim/fault/drawn_question.h"
#include "ksim/fault/process_verbs.h"
#include "ksim/store/events.h"

namespace ksim::fault {
namespace {

using value::Value;

// How much longer the queue stands still than the watch is away.
constexpr Duration kAfterTheList = Seconds(100);
// Between two links of a swizzle that heal.
constexpr Duration kBetweenLinks = Seconds(10);

void FireGap(DrawnFaults& faults, const sim::Event& e, const Value& stream, std::uint32_t length) {
  DrawnQuestion::FireAt(faults, e, "expire", stream);
  DrawnQuestion::FireAt(faults, e, "dropWatch", stream.Set("redialAfter", LengthOf(length)));
}

void DrawGap(DrawnQuestion& question) {
  const std::uint32_t n = question.AskAboutStream(kSizes);
  if (n == 0) return;
  FireGap(question.faults(), question.event(), StreamOf(question.client(), question.resource()), n);
}

void DrawStallInGap(DrawnQuestion& question) {
  const std::uint32_t n = question.AskAboutStream(kSizes);
  if (n == 0) return;
  const Value actor = Text(question.client()), resource = Text(question.resource());
  const Value length = Text(FormatDuration(kLengths[n - 1] + kAfterTheList));
  question.Fire("stallHandler",
                value::Obj({{"actor", actor}, {"resource", resource}, {"for", length}}));
  // Events on the wire arrive and wait in the queue; then the watch ends.
  const Value stream = StreamOf(question.client(), question.resource());
  question.Await(std::string(question.client()), std::string(question.resource()),
                 [faults = &question.faults(), stream, n](const sim::Event& at) {
                   FireGap(*faults, at, stream, n);
                 });
}

// Answers: the watches end once; they break once more; they move to another API server and break
// there.
void DrawStorm(DrawnQuestion& question) {
  const std::string_view process = question.client();
  const auto& all_watched = question.motifs().watched;
  const auto watched = all_watched.find(process);
  if (watched == all_watched.end()) return;
  const bool elsewhere = question.cluster().servers().size() > 1;
  const std::uint32_t how = question.Ask(process, elsewhere ? 4 : 3);
  if (how == 0) return;
  Cluster* cluster = &question.cluster();
  for (const std::string& resource : watched->second) {
    const Value stream = StreamOf(process, resource);
    question.Fire("expire", stream);
    question.Fire("dropWatch", stream);
    if (how == 1) continue;
    question.Await(std::string(process), resource,
                   [faults = &question.faults(), cluster, stream, how](const sim::Event& at) {
                     if (how == 3) {
                       const std::vector<apiserver::Server*> all = cluster->servers();
                       const bool first = at.actor.name() == all.front()->name();
                       const Value other = Text(all[first ? 1 : 0]->name());
                       DrawnQuestion::FireAt(*faults, at, "connect",
                                             stream.Erase("resource").Set("server", other));
                     }
                     DrawnQuestion::FireAt(*faults, at, "dropWatch",
                                           stream.Set("how", Text("error")));
                   });
  }
}

// Answers: each API server may be the one that has not heard of the deletion.
void DrawCompactInGap(DrawnQuestion& question) {
  const std::vector<apiserver::Server*> servers = question.cluster().servers();
  const std::uint32_t n =
      question.Ask(question.resource(), static_cast<std::uint32_t>(servers.size()) + 1);
  if (n == 0) return;
  question.Fire("compact", value::Obj({{"revision", Text("head")}}));
  question.Fire("dropWatch", StreamOf(servers[n - 1]->name(), question.resource()));
}

// Answers: each API server may be the stale one.
void DrawStaleRestart(DrawnQuestion& question) {
  const std::string_view process = question.client();
  const std::vector<apiserver::Server*> servers = question.cluster().servers();
  if (servers.size() < 2 || !question.motifs().watched.contains(process)) return;
  const std::uint32_t n = question.Ask(process, static_cast<std::uint32_t>(servers.size()) + 1);
  if (n == 0) return;
  const Value server = Text(servers[n - 1]->name());
  question.Fire("freezeCache", value::Obj({{"server", server},
                                           {"resource", Text(question.resource())},
                                           {"for", LengthOf(kSizes - 1)}}));
  question.Fire("connect", value::Obj({{"client", Text(process)}, {"server", server}}));
  question.Fire("restart", value::Obj({{"process", Text(process)}}));
}

// Whether a commit is the first that says that its object will be gone.
bool BeginsAnEnd(const sim::Event& e) {
  const auto& commit = e.payload.As<store::CommitPayload>();
  const auto is_marked = [](const Value& object) {
    return !object.Get(api::Fields().metadata).Get(api::Fields().deletion_timestamp).is_null();
  };
  if (commit.op == store::CommitOp::kCreate || is_marked(commit.prev.value())) return false;
  return commit.op == store::CommitOp::kDelete || is_marked(commit.kv.value());
}

// The component that has written the object last, a pod's kubelet or the controller of a status, is
// who acts on it: it comes back to the past, before the end of the object began. The second API
// server lives there, whose clients go to the first: so it does not matter which one it is. The
// freeze outlives the way of a deletion through a cluster and back, so it is the longest.
void DrawTimeTravel(DrawnQuestion& question) {
  const std::vector<apiserver::Server*> servers = question.cluster().servers();
  if (servers.size() < 2 || !BeginsAnEnd(question.event())) return;
  const std::string resource(question.resource()), traveller(question.last_writer());
  const auto watched = question.motifs().watched.find(traveller);
  if (watched == question.motifs().watched.end() || !watched->second.contains(resource)) return;
  if (question.Ask(resource, 2) == 0) return;
  const Value present = Text(servers[0]->name()), past = Text(servers[1]->name());
  const Value client = Text(traveller);
  question.Fire(
      "freezeCache",
      value::Obj({{"server", past}, {"resource", Text(resource)}, {"for", LengthOf(kSizes - 1)}}));
  for (const auto& [other, server] : question.motifs().watched_at)
    if (server == past.AsString())
      question.Fire("connect", value::Obj({{"client", Text(other)}, {"server", present}}));
  question.AwaitDeletion(
      traveller, resource, [faults = &question.faults(), client, past](const sim::Event& at) {
        DrawnQuestion::FireAt(*faults, at, "connect",
                              value::Obj({{"client", client}, {"server", past}}));
        DrawnQuestion::FireAt(*faults, at, "restart", value::Obj({{"process", client}}));
      });
}

// Once a swizzle has begun, each commit cuts off the next client, unasked.
void DrawSwizzle(DrawnQuestion& question) {
  std::vector<std::string>& to_cut = question.motifs().to_cut;
  if (to_cut.empty()) {
    const std::uint32_t n = question.Ask("network", kSizes);
    if (n == 0) return;
    for (const auto& [process, resources] : question.motifs().watched) to_cut.push_back(process);
    question.motifs().swizzle = kLengths[n - 1];
  }
  if (to_cut.empty()) return;
  const Duration between(kBetweenLinks.ns() * static_cast<std::int64_t>(to_cut.size()));
  const Value server = Text(question.cluster().servers().front()->name());
  const Value length = Text(FormatDuration(question.motifs().swizzle + between));
  question.Fire("partition", value::Obj({{"between", value::Arr({Text(to_cut.back()), server})},
                                         {"for", length}}));
  to_cut.pop_back();
}

DrawnKind Motif(std::string_view name, int number, DrawnRule::At at) {
  DrawnKind kind;
  kind.name = name;
  kind.rule = {number, {at}};
  return kind;
}

}  // namespace

const std::vector<DrawnKind>& Motifs() {
  static const std::vector<DrawnKind> motifs{
      Motif("gap", 19, {DrawnPoint::kWatchEvent, DrawGap}),
      Motif("stallInGap", 20, {DrawnPoint::kWatchEvent, DrawStallInGap}),
      Motif("storm", 21, {DrawnPoint::kCommit, DrawStorm}),
      Motif("compactInGap", 22, {DrawnPoint::kDeletion, DrawCompactInGap, -1}),
      Motif("staleRestart", 23, {DrawnPoint::kCommit, DrawStaleRestart}),
      Motif("swizzle", 24, {DrawnPoint::kCommit, DrawSwizzle, -1}),
      Motif("clockRate", 30, {DrawnPoint::kEvenResponse, DrawClockRate}),
      Motif("timeTravel", 32, {DrawnPoint::kCommit, DrawTimeTravel})};
  return motifs;
}

void DrawnFaults::CallAwaiting(const sim::Event& e, std::string_view client,
                               std::string_view resource, bool deletion) {
  if (!open_) return;
  std::vector<Action> due;
  for (std::size_t i = 0; i < motifs_.awaited.size();) {
    Awaited& awaited = motifs_.awaited[i];
    const bool too_soon = awaited.deletion && !deletion;
    if (too_soon || awaited.client != client || awaited.resource != resource) {
      ++i;
      continue;
    }
    due.push_back(std::move(awaited.act));
    motifs_.awaited.erase(motifs_.awaited.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const Action& act : due) act(e);
}

}  // namespace ksim::fault
