// Link: the ways between one process and the servers it talks to. A Connection owns it; replies and
// streams that are still on their way hold it weakly, so what comes back to a process whose
// connection is gone falls on the floor.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "ksim/api/request.h"
#include "ksim/client/client.h"
#include "ksim/client/core/cache_waits.h"
#include "ksim/sim/network.h"

namespace ksim::client {

class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(Environment& env, sim::Process& process);
  Environment& env() { return env_; }
  sim::Simulation& sim() { return env_.sim; }
  sim::Process& process() { return process_; }
  // False once the environment is gone: nothing may be sent.
  bool usable() const { return !env_alive_.expired(); }
  // The parts of the process that wait for their caches.
  CacheWaits& cache_waits() { return cache_waits_; }

  // Both ways between the process and a server, for what is about one resource.
  struct Lane {
    Lane(Environment& env, const std::string& client, const api::Endpoint& server,
         const std::string& subject);
    sim::Channel out, in;
    SharedText server;  // its name
  };
  // The same one as long as the link is there.
  Lane& LaneTo(const api::Endpoint& server, const api::ResourceInfo* r);
  // A channel of its own, which keeps order: a watch stream.
  sim::Channel NewStreamChannel(const api::Endpoint& server, const api::ResourceInfo* r);

  // Tells the server that a stream is no longer read. Travels like a request.
  void SendCloseWatch(api::Endpoint& server, const api::ResourceInfo* r, std::uint64_t stream);
  // Tells the server that a stream is read again (HTTP/2's WINDOW_UPDATE). Travels likewise.
  void SendResumeWatch(api::Endpoint& server, const api::ResourceInfo* r, std::uint64_t stream);

  // Keys of draws: the request's verb, object (its ObjectHash; 0: it has no name) and how often
  // this process asked that.
  std::uint64_t RequestKey(const api::Request& request, std::uint64_t object);
  // The object and how manieth event about it this process gets, on all its streams of the
  // resource: their StreamsKey.
  std::uint64_t DeliveryKey(std::uint64_t streams, const api::ResourceInfo* r,
                            const api::WatchEvent& event);
  std::uint64_t StreamsKey(const api::ResourceInfo* r) const;

 private:
  // The key of a draw about a message of this kind on streams of the resource: it counts them.
  std::uint64_t StreamKey(std::string_view word, const api::ResourceInfo* r);

  Environment& env_;
  sim::Process& process_;
  std::weak_ptr<const bool> env_alive_;
  CacheWaits cache_waits_;
  // Looked up only, never walked.
  absl::flat_hash_map<std::pair<const api::Endpoint*, const api::ResourceInfo*>,
                      std::unique_ptr<Lane>>
      lanes_;
};

}  // namespace ksim::client
