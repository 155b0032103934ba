// A cluster of etcd and API servers, and calls that run it until they are answered. Tests read like
// scripts: world.Create(...), world.Advance(Seconds(3)), EXPECT_EQ(watch->Lines(), ...).
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/identity.h"
#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/apiserver/server.h"
#include "ksim/sim/network.h"
#include "ksim/sim/simulation.h"
#include "ksim/store/etcd.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

inline constexpr api::Compat kProfiles[] = {api::Compat::k1_25, api::Compat::k1_30,
                                            api::Compat::k1_36};

// A client's end of a watch: it records the events and the end of the stream.
class TestWatch final : public api::WatchSink {
 public:
  struct Seen {
    Seen(api::WatchEvent e, VirtualTime t) : event(std::move(e)), at(t) {}
    api::WatchEvent event;
    VirtualTime at;
  };
  explicit TestWatch(sim::Simulation& sim) : sim_(sim) {}
  bool Send(api::WatchEvent event) override {
    seen.emplace_back(std::move(event), sim_.now());
    return --room > 0;
  }
  void Close(api::StreamEnd how) override {
    closed = true;
    end = how;
    closed_at = sim_.now();
  }
  // "ADDED p1 7", "BOOKMARK 9", "BOOKMARK 9 end", "ERROR 410 Expired", and "EOF" when it has ended.
  std::vector<std::string> Lines() const;
  std::vector<std::string> TakeLines();
  const api::WatchEvent& last() const { return seen.back().event; }

  std::vector<Seen> seen;
  std::int64_t room = 1'000'000'000;  // how many more events the client takes before it stalls
  bool closed = false;
  api::StreamEnd end = api::StreamEnd::kEof;
  VirtualTime closed_at;
  api::Response response;  // the answer to the request

 private:
  sim::Simulation& sim_;
};

struct WorldOptions {
  WorldOptions() = default;
  explicit WorldOptions(api::Compat c) : compat(c) {}
  WorldOptions& Plugins(std::vector<std::string> names) {
    server.admission_plugins = std::move(names);
    return *this;
  }
  WorldOptions& Servers(int n) {
    servers = n;
    return *this;
  }
  api::Compat compat = api::Compat::k1_36;
  std::uint64_t seed = 1;
  int servers = 1;
  std::optional<api::Variants> variants;  // what upstream had, unless set
  ServerOptions server;
  // That of a kube-apiserver that is told none, as those whose answers are recorded.
  std::string service_cidr = "10.0.0.0/24";
};

class World {
 public:
  explicit World(const WorldOptions& options = WorldOptions());
  ~World();

  const api::ResourceInfo& Kind(std::string_view resource) const;
  Server& server(int i = 0) { return *servers_[static_cast<std::size_t>(i)]; }
  store::Store& store() { return etcd.store(); }
  std::int64_t revision() { return etcd.store().revision(); }
  void Advance(Duration d) { sim.RunUntil(sim.now() + d); }
  // Runs until `done`, at most `limit` of virtual time.
  void RunUntil(const std::function<bool()>& done, Duration limit = Minutes(2));

  // A request to server `to`, answered when this returns. Fills in id and user.
  api::Response Do(api::Request request, int to = 0);
  // The same without waiting.
  std::shared_ptr<api::Response> Start(api::Request request, int to = 0);
  static bool Answered(const std::shared_ptr<api::Response>& r) { return r->code != 0; }

  api::Request Request(api::Verb verb, std::string_view resource, std::string_view ns,
                       std::string_view name) const;
  api::Response Create(std::string_view resource, std::string_view ns, value::Value body);
  api::Response Get(std::string_view resource, std::string_view ns, std::string_view name,
                    std::string_view rv = {});
  api::Response List(std::string_view resource, std::string_view ns,
                     api::ListOptions options = api::ListOptions(), int to = 0);
  api::Response Update(std::string_view resource, value::Value body, std::string_view sub = {});
  api::Response Patch(std::string_view resource, std::string_view ns, std::string_view name,
                      api::PatchType type, std::string_view json, std::string_view sub = {});
  api::Response Delete(std::string_view resource, std::string_view ns, std::string_view name,
                       api::DeleteOptions options = api::DeleteOptions());
  api::Response Bind(std::string_view ns, std::string_view pod, std::string_view node);
  // Opened (or refused) when this returns.
  std::shared_ptr<TestWatch> Watch(std::string_view resource, std::string_view ns,
                                   api::ListOptions options, int to = 0);
  std::shared_ptr<TestWatch> StartWatch(std::string_view resource, std::string_view ns,
                                        api::ListOptions options, int to = 0);
  std::shared_ptr<TestWatch> StartWatch(api::Request request, int to = 0);
  // The client has stalled and takes in `room` events more.
  void Read(TestWatch& watch, std::int64_t room, int to = 0);

  sim::Simulation sim;
  sim::Network network;
  api::Kinds kinds;
  api::Identities identities;
  Shared shared;
  store::Etcd etcd;

 private:
  std::vector<std::unique_ptr<Server>> servers_;
  std::uint64_t next_request_ = 1;
};

// The tree of a JSON text; the test fails if it is none.
value::Value Json(std::string_view text);
value::Value Pod(std::string_view ns, std::string_view name, std::string_view node = {});
value::Value ConfigMap(std::string_view ns, std::string_view name, std::string_view data = "x");
std::vector<std::string> Names(const api::Response& list);  // of the items
api::ListOptions Options(std::string_view rv = {}, std::string_view match = {},
                         std::int64_t limit = 0);

}  // namespace ksim::apiserver
