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
//   swizzle       the clients lose their API server one by one, commit by commit, and have it back
//                 in the opposite order (FoundationDB's swizzle-clogging)
#include <utility>

#include "ksim/fault/drawn_fault_kinds.h"

namespace ksim::fault {
namespace {

using value::Value;

// How much longer the queue stands still than the watch is away.
constexpr Duration kAfterTheList = Seconds(100);
// Between two links of a swizzle that heal.
constexpr Duration kBetweenLinks = Seconds(10);

}  // namespace

void Drawn::Await(std::string client, std::string resource, Next act) {
  Awaited awaited;
  awaited.client = std::move(client);
  awaited.resource = std::move(resource);
  awaited.act = std::move(act);
  awaited_.push_back(std::move(awaited));
}

void Drawn::GoOn(const sim::Event& e, std::string_view client, std::string_view resource) {
  if (!open_) return;
  std::vector<Next> due;
  for (std::size_t i = 0; i < awaited_.size();) {
    if (awaited_[i].client != client || awaited_[i].resource != resource) {
      ++i;
      continue;
    }
    due.push_back(std::move(awaited_[i].act));
    awaited_.erase(awaited_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  for (const Next& act : due) act(e);
}

void Drawn::FireGap(const sim::Event& e, const Value& stream, std::uint32_t length) {
  Fire(e, "expire", stream);
  Fire(e, "dropWatch", stream.Set("redialAfter", LengthOf(length)));
}

void Drawn::AskGap(const sim::Event& e, std::string_view client, std::string_view resource,
                   const Topic& topic) {
  if (const std::uint32_t n = Ask(kGap, topic, kSizes); n != 0)
    FireGap(e, StreamOf(client, resource), n);
  const std::uint32_t n = Ask(kStallInGap, topic, kSizes);
  if (n == 0) return;
  value::ObjectBuilder stall;
  stall.Add("actor", Text(client)).Add("resource", Text(resource));
  stall.Add("for", Text(FormatDuration(kLengths[n - 1] + kAfterTheList)));
  Fire(e, "stallHandler", stall.Build());
  // What is on the wire arrives and waits in the queue; then the watch goes.
  const Value stream = StreamOf(client, resource);
  Await(std::string(client), std::string(resource),
        [this, stream, n](const sim::Event& at) { FireGap(at, stream, n); });
}

void Drawn::AskStorm(const sim::Event& e, std::string_view process, std::uint64_t object) {
  const auto watched = watched_.find(process);
  if (watched == watched_.end()) return;
  const std::vector<apiserver::Server*> servers = cluster_.servers();
  const auto n = static_cast<std::uint32_t>(servers.size() > 1 ? 4 : 3);
  const std::uint32_t how = Ask(kStorm, process, object, n);
  if (how == 0) return;
  for (const std::string& resource : watched->second) {
    const Value stream = StreamOf(process, resource);
    Fire(e, "expire", stream);
    Fire(e, "dropWatch", stream);
    if (how == 1) continue;
    Await(std::string(process), resource, [this, stream, how](const sim::Event& at) {
      if (how == 3) {
        const std::vector<apiserver::Server*> all = cluster_.servers();
        const bool first = at.actor.name() == all.front()->name();
        Fire(at, "connect",
             stream.Erase("resource").Set("server", Text(all[first ? 1 : 0]->name())));
      }
      Fire(at, "dropWatch", stream.Set("how", Text("error")));
    });
  }
}

void Drawn::AskCompactInGap(const sim::Event& e, std::string_view resource, std::uint64_t object) {
  const std::vector<apiserver::Server*> servers = cluster_.servers();
  const std::uint32_t n =
      Ask(kCompactInGap, resource, object, static_cast<std::uint32_t>(servers.size()) + 1);
  if (n == 0) return;
  value::ObjectBuilder head;
  Fire(e, "compact", head.Add("revision", Text("head")).Build());
  Fire(e, "dropWatch", StreamOf(servers[n - 1]->name(), resource));
}

void Drawn::AskStaleRestart(const sim::Event& e, std::string_view process,
                            std::string_view resource, std::uint64_t object) {
  const std::vector<apiserver::Server*> servers = cluster_.servers();
  if (servers.size() < 2 || !watched_.contains(process)) return;
  const std::uint32_t n =
      Ask(kStaleRestart, process, object, static_cast<std::uint32_t>(servers.size()) + 1);
  if (n == 0) return;
  const Value server = Text(servers[n - 1]->name());
  value::ObjectBuilder freeze, connect, restart;
  freeze.Add("server", server).Add("resource", Text(resource));
  Fire(e, "freezeCache", freeze.Add("for", LengthOf(kSizes - 1)).Build());
  Fire(e, "connect", connect.Add("client", Text(process)).Add("server", server).Build());
  Fire(e, "restart", restart.Add("process", Text(process)).Build());
}

void Drawn::AskSwizzle(const sim::Event& e, std::uint64_t object) {
  if (to_cut_.empty()) {
    const std::uint32_t n = Ask(kSwizzle, "network", object, kSizes);
    if (n == 0) return;
    for (const auto& [process, resources] : watched_) to_cut_.push_back(process);
    swizzle_ = kLengths[n - 1];
  }
  if (to_cut_.empty()) return;
  const Duration lasts =
      swizzle_ + Duration(kBetweenLinks.ns() * static_cast<std::int64_t>(to_cut_.size()));
  value::ObjectBuilder args;
  args.Add("between",
           Value::Array({Text(to_cut_.back()), Text(cluster_.servers().front()->name())}));
  Fire(e, "partition", args.Add("for", Text(FormatDuration(lasts))).Build());
  to_cut_.pop_back();
}

}  // namespace ksim::fault
