// Client: how an actor talks to an API server (client-go rest.RESTClient and a typed clientset in
// one). Every call is a request that travels, is served, and whose answer travels back; the caller
// sleeps meanwhile. Calls wait for the client's rate limiter (watches do not, CLIENT-98) and give
// up after the timeout, in which case the effect is unknown.
//
// Emits `request` when a request is sent and `response` when its answer has arrived or is given up.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/identity.h"
#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/api/variants.h"
#include "ksim/sim/network.h"
#include "ksim/sim/process.h"
#include "ksim/sim/task.h"

namespace ksim::sim {
class AskCounter;  // sim/ask_counter.h
class Signal;      // sim/mailbox.h
}  // namespace ksim::sim

namespace ksim::client {

class FaultHooks;   // client/rest/fault_hooks.h
class Link;         // client/rest/link.h
class TokenBucket;  // client/core/token_bucket.h
struct Answer;      // client/rest/exchange.h

// All clients of a cluster share one Environment. The cluster owns it; it outlives every process.
struct Environment {
  Environment(sim::Simulation& s, sim::Network& n, api::Kinds& k, api::Compat c);
  ~Environment();
  sim::Simulation& sim;
  sim::Network& network;
  api::Kinds& kinds;
  api::Compat compat;
  api::Variants variants;
  // Identities of objects, for the keys of draws about them. Null: resource, namespace and name
  // alone.
  const api::Identities* identities = nullptr;
  // Faults act on the clients through these hooks. Null: nothing can go wrong here.
  FaultHooks* faults = nullptr;
  // False takes the jitter out of all back-offs (CLIENT-02), for tests of their bases.
  bool jitter = true;
  // A handler that throws loses that one call and is told nothing for a second, as with
  // runtime.ReallyCrash = false. False: it ends the program, as upstream's crash their process.
  bool recover_panics = false;
  // A process that ends itself calls this: its supervisor starts it again. Null: it has no
  // supervisor.
  std::function<void(sim::Process&)> exit;
  // In the simulation, not the actor: a restart goes on counting.
  std::uint64_t next_request_id = 1;
  // The name of a resource in sites, streams and informers: its plural, with the group only where
  // another resource goes by the plural alone.
  const std::string& NameOf(const api::ResourceInfo& resource);
  // 1, 2, ... for each key: the ordinal of a request about one object, or of an event on one
  // stream.
  std::uint64_t NextOrdinal(std::uint64_t key);
  std::uint64_t IdentityOf(std::string_view resource, std::string_view ns,
                           std::string_view name) const {
    return IdentityOf(api::ObjectHash(resource, ns, name));
  }
  // The identity of who has this ObjectHash.
  std::uint64_t IdentityOf(std::uint64_t object_hash) const {
    return identities != nullptr ? identities->Of(object_hash) : object_hash;
  }
  // Expires with the environment: what outlives it (a server's reply) sends nothing any more.
  std::weak_ptr<const bool> alive() const { return alive_; }

 private:
  std::unique_ptr<sim::AskCounter> ordinals_;
  struct ResourceNames;
  std::unique_ptr<ResourceNames> resource_names_;
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

struct ClientOptions {
  ClientOptions() = default;
  std::string user;      // "" = the process' name
  std::int64_t qps = 5;  // < 0 = unlimited
  std::int64_t burst = 10;
  Duration timeout = Seconds(60);  // of every request but watch
  // Whose tokens its calls take; null: a bucket of its own, of qps and burst.
  std::shared_ptr<TokenBucket> limiter;
};

// The connection of one process to its API server. All clients of the process share it; a fault may
// point it at another server.
// Endpoints outlive the run.
class Connection {
 public:
  Connection(Environment& env, sim::Process& process, api::Endpoint& server);
  ~Connection();
  Environment& env() { return env_; }
  sim::Process& process() { return process_; }
  api::Endpoint& server() { return *server_; }
  void ConnectTo(api::Endpoint& server) { server_ = &server; }
  // The client-go this process was built with; the cluster's version unless another is set.
  api::Compat compat() const { return profile_.value_or(env_.compat); }
  void UseProfile(api::Compat profile) { profile_ = profile; }
  // Those of the cluster, or with a profile of its own what upstream did at that version.
  api::Variants variants() const {
    return profile_ ? api::DefaultVariants(*profile_) : env_.variants;
  }
  const std::shared_ptr<Link>& link() const { return link_; }

 private:
  Environment& env_;
  sim::Process& process_;
  api::Endpoint* server_;
  std::optional<api::Compat> profile_;
  std::shared_ptr<Link> link_;
};

struct ListResult {
  ListResult() = default;
  std::vector<api::Object> items;
  std::int64_t resource_version = 0;
  std::string continue_token;
  std::optional<std::int64_t> remaining_item_count;
};

// One open watch. Destroying it closes the stream on the server.
class WatchStream {
 public:
  virtual ~WatchStream() = default;
  // The next event taken in; nullopt when the stream has ended (see end()).
  virtual sim::Task<std::optional<api::WatchEvent>> Next() = 0;
  // The same if there is no need to wait; nullopt: Next knows.
  virtual std::optional<api::WatchEvent> NextAtOnce() { return std::nullopt; }
  // The signal that an event's arrival notifies, for a reader without a task of its own; null: Next
  // can return at once.
  virtual sim::Signal* ToWaitFor() { return nullptr; }
  virtual api::StreamEnd end() const = 0;
  virtual std::uint64_t id() const = 0;
  // Nothing more is taken in, not even what has arrived: a Next under way returns nullopt.
  virtual void Stop() = 0;
};

struct PatchOptions {
  PatchOptions() = default;
  PatchOptions(api::PatchType t, std::string sub = {}) : type(t), subresource(std::move(sub)) {}
  api::PatchType type = api::PatchType::kStrategic;
  std::string subresource;
  std::string field_manager;
  bool force = false;
};

class Client {
 public:
  // `actor` is who the requests come from: the process or one of its parts.
  Client(Connection& connection, sim::ActorId actor, ClientOptions options);
  ~Client();

  using ObjectResult = api::Result<api::Object>;
  sim::Task<ObjectResult> Get(const api::ResourceInfo* r, SharedText ns, SharedText name,
                              SharedText resource_version = {});
  sim::Task<api::Result<ListResult>> List(const api::ResourceInfo* r, SharedText ns,
                                          api::ListOptions options);
  sim::Task<api::Result<std::unique_ptr<WatchStream>>> Watch(const api::ResourceInfo* r,
                                                             SharedText ns,
                                                             api::ListOptions options);
  // `object` may lack a name if it has a generateName. Its namespace is the request's.
  sim::Task<ObjectResult> Create(const api::ResourceInfo* r, api::Object object);
  sim::Task<ObjectResult> Update(const api::ResourceInfo* r, api::Object object,
                                 SharedText subresource = {});
  sim::Task<ObjectResult> UpdateStatus(const api::ResourceInfo* r, api::Object object);
  sim::Task<ObjectResult> Patch(const api::ResourceInfo* r, SharedText ns, SharedText name,
                                value::Value patch, PatchOptions options);
  sim::Task<ObjectResult> Delete(const api::ResourceInfo* r, SharedText ns, SharedText name,
                                 api::DeleteOptions options);
  // POST of a subresource: binding, eviction.
  sim::Task<ObjectResult> CreateSubresource(const api::ResourceInfo* r, SharedText ns,
                                            SharedText name, SharedText subresource,
                                            value::Value body);
  // Any request but a watch; the others are made of it. Sets id, actor, client, user and agent.
  // A response of code 0 is a transport failure (refused, lost, timed out). Answers 429 and 5xx
  // with a retry-after are retried up to 10 times first, as are reads that lost their connection
  // (CLIENT-37).
  sim::Task<api::Response> Do(api::Request request);

  Connection& connection() { return connection_; }
  // A client made with these shares this one's rate limit.
  const ClientOptions& options() const;
  sim::ActorId actor() const { return actor_; }
  // The id of the call that returned last: read it right after the co_await.
  std::uint64_t last_request_id() const { return last_request_id_; }
  std::uint64_t last_response_event() const { return last_response_event_; }

 private:
  struct Impl;
  template <class Result>
  sim::Task<Result> Ask(api::Request request, std::unique_ptr<WatchStream>* stream = nullptr);

  Connection& connection_;
  sim::ActorId actor_;
  std::unique_ptr<Impl> impl_;
  std::uint64_t last_request_id_ = 0;
  std::uint64_t last_response_event_ = 0;
};

}  // namespace ksim::client
