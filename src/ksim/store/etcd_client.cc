#include "ksim/store/etcd_client.h"

#include <optional>
#include <utility>

#include "ksim/sim/mailbox.h"
#include "ksim/store/errors.h"
#include "ksim/store/object_key.h"
#include "ksim/store/process_scope.h"

namespace ksim::store {

struct EtcdClient::Link {
  Link(sim::Network& network, std::string_view client, Etcd& server)
      : sim(network.simulation()),
        etcd(server),
        requests(network, client, "etcd", "requests", sim::Channel::Order::kUnordered),
        responses(network, "etcd", client, "responses", sim::Channel::Order::kUnordered) {}
  sim::Simulation& sim;
  Etcd& etcd;
  sim::Channel requests, responses;
};

namespace {

using Link = EtcdClient::Link;

// The subject of a message: its verb and its first key.
std::uint64_t MessageKey(const RangeRequest& r) { return sim::KeyOf(r.key, 1); }
std::uint64_t MessageKey(const PutRequest& r) { return sim::KeyOf(r.key, 2); }
std::uint64_t MessageKey(const DeleteRangeRequest& r) { return sim::KeyOf(r.key, 3); }
std::uint64_t MessageKey(const TxnRequest& r) {
  return sim::KeyOf(r.compare.empty() ? std::string_view() : r.compare[0].key.view(), 4);
}
std::uint64_t MessageKey(const CompactRequest&) { return sim::KeyOf("compact"); }
std::uint64_t MessageKey(const LeaseGrantRequest&) { return sim::KeyOf("lease grant"); }
std::uint64_t MessageKey(const LeaseRevokeRequest&) { return sim::KeyOf("lease revoke"); }
std::uint64_t MessageKey(const LeaseKeepAliveRequest&) { return sim::KeyOf("lease keepalive"); }
std::uint64_t MessageKey(const LeaseTimeToLiveRequest&) { return sim::KeyOf("lease ttl"); }

// The request has arrived: runs it as etcd and sends the answer.
template <class Response, class Request>
void Answer(const std::shared_ptr<Link>& link, std::uint64_t key, const Request& request,
            sim::Promise<absl::StatusOr<Response>> promise) {
  ProcessScope scope(link->sim, link->etcd.process());
  absl::StatusOr<Response> response = link->etcd.Serve(request);
  if (response.ok()) scope.set_cause(response->header.commit);
  link->responses.Send(key,
                       [response = std::move(response), promise = std::move(promise)]() mutable {
                         promise.Fulfil(std::move(response));
                       });
}

template <class Response, class Request>
sim::Task<absl::StatusOr<Response>> Call(std::shared_ptr<Link> link, Request request) {
  sim::Promise<absl::StatusOr<Response>> promise(link->sim);
  sim::Future<absl::StatusOr<Response>> reply = promise.future();
  const std::uint64_t key = MessageKey(request);
  auto arrive = [link, key, request = std::move(request), promise = std::move(promise)]() mutable {
    Answer<Response>(link, key, request, std::move(promise));
  };
  link->requests.Send(key, std::move(arrive));
  std::optional<absl::StatusOr<Response>> answer = co_await reply.Wait();
  if (!answer) co_return NotReachableError();
  co_return *std::move(answer);
}

}  // namespace

EtcdClient::EtcdClient(sim::Network& network, SharedText client, Etcd& etcd)
    : network_(network),
      client_(std::move(client)),
      etcd_(etcd),
      link_(std::make_shared<Link>(network, client_, etcd)) {}

sim::Task<absl::StatusOr<RangeResponse>> EtcdClient::Range(RangeRequest request) {
  return Call<RangeResponse>(link_, std::move(request));
}

sim::Task<absl::StatusOr<PutResponse>> EtcdClient::Put(PutRequest request) {
  return Call<PutResponse>(link_, std::move(request));
}

sim::Task<absl::StatusOr<DeleteRangeResponse>> EtcdClient::DeleteRange(DeleteRangeRequest request) {
  return Call<DeleteRangeResponse>(link_, std::move(request));
}

sim::Task<absl::StatusOr<TxnResponse>> EtcdClient::Txn(TxnRequest request) {
  return Call<TxnResponse>(link_, std::move(request));
}

sim::Task<absl::StatusOr<CompactResponse>> EtcdClient::Compact(CompactRequest request) {
  return Call<CompactResponse>(link_, std::move(request));
}

sim::Task<absl::StatusOr<LeaseGrantResponse>> EtcdClient::LeaseGrant(LeaseGrantRequest request) {
  return Call<LeaseGrantResponse>(link_, std::move(request));
}

sim::Task<absl::StatusOr<LeaseRevokeResponse>> EtcdClient::LeaseRevoke(LeaseRevokeRequest request) {
  return Call<LeaseRevokeResponse>(link_, std::move(request));
}

sim::Task<absl::StatusOr<LeaseKeepAliveResponse>> EtcdClient::LeaseKeepAlive(
    LeaseKeepAliveRequest request) {
  return Call<LeaseKeepAliveResponse>(link_, std::move(request));
}

sim::Task<absl::StatusOr<LeaseTimeToLiveResponse>> EtcdClient::LeaseTimeToLive(
    LeaseTimeToLiveRequest request) {
  return Call<LeaseTimeToLiveResponse>(link_, std::move(request));
}

std::unique_ptr<EtcdWatch> EtcdClient::Watch(WatchRequest request) {
  return std::make_unique<EtcdWatch>(etcd_, network_, client_, std::move(request));
}

}  // namespace ksim::store
