// InformerFactory (include/ksim/client/informer.h): the shared informers of one process.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "ksim/base/check.h"
#include "ksim/client/cache/shared_informer.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/informer.h"

namespace ksim::client {
struct InformerFactory::Impl {
  Impl(Connection& c, const ClientOptions& options, ResyncPeriod r)
      : connection(c), client(c, c.process().actor(), options), resync(std::move(r)) {}
  Connection& connection;
  Client client;
  ResyncPeriod resync;
  bool started = false;
  absl::btree_map<std::string, std::unique_ptr<SharedIndexInformer>> informers;
};

InformerFactory::InformerFactory(Connection& connection, ClientOptions options, Duration resync)
    : InformerFactory(connection, std::move(options), [resync] { return resync; }) {}
InformerFactory::InformerFactory(Connection& connection, ClientOptions options, ResyncPeriod resync)
    : impl_(std::make_unique<Impl>(connection, options, std::move(resync))) {}
InformerFactory::~InformerFactory() = default;

SharedInformer& InformerFactory::For(const api::ResourceInfo* resource, InformerOptions options) {
  KSIM_CHECK(resource != nullptr) << "informer of an unknown resource";
  std::unique_ptr<SharedIndexInformer>& informer = impl_->informers[resource->group_resource()];
  if (informer == nullptr) {
    const Duration resync = options.resync ? *options.resync : impl_->resync();
    informer =
        std::make_unique<SharedIndexInformer>(impl_->client, resource, std::move(options), resync);
  }
  return *informer;
}

bool InformerFactory::started() const { return impl_->started; }

void InformerFactory::Start() {
  impl_->started = true;
  for (auto& [name, informer] : impl_->informers) informer->Start();
}

sim::Task<bool> InformerFactory::WaitForCacheSync() {
  for (;;) {
    bool synced = true;
    for (const auto& [name, informer] : impl_->informers) synced = synced && informer->HasSynced();
    if (synced) co_return true;
    co_await impl_->connection.env().sim.Sleep(kSyncedPollPeriod, sim::TimerKind::kWork,
                                               "wait for cache sync");
  }
}

std::vector<SharedInformer*> InformerFactory::informers() const {
  std::vector<SharedInformer*> out;
  for (const auto& [name, informer] : impl_->informers) out.push_back(informer.get());
  return out;
}

void InformerFactory::EmitCacheEvents(std::uint64_t cause) {
  for (const auto& [name, informer] : impl_->informers) {
    if (informer->started()) informer->EmitCache(cause);
  }
}

Duration DrawResyncPeriod(Connection& connection, Duration min) {
  JitterSource jitter(connection.env(), fmt::format("resync/{}", connection.process().name()));
  return jitter.Jitter(min, 100);
}

ResyncPeriod RuntimeResync(Connection& connection) {
  auto jitter = std::make_shared<JitterSource>(
      connection.env(), fmt::format("resync/{}", connection.process().name()));
  return [jitter = std::move(jitter)] { return jitter->Uniform(Hours(9), Hours(11)); };
}

}  // namespace ksim::client
