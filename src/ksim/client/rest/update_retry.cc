#include "ksim/client/update_retry.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/client/core/backoff.h"

namespace ksim::client {
namespace {

// One try: reads the cache's object, changes it and sends it.
struct Attempt {
  Attempt(Client& c, const Lister& l, const api::ResourceInfo* r, std::string n, std::string m,
          Change ch)
      : client(c),
        lister(l),
        resource(r),
        ns(std::move(n)),
        name(std::move(m)),
        change(std::move(ch)) {}
  sim::Task<Client::ObjectResult> operator()() {
    const api::Object cached = lister.Get(ns, name);
    if (cached.empty())
      co_return api::NotFound(api::GroupResource(resource->group, resource->resource), name);
    const api::Object changed = change(cached);
    co_return co_await client.Update(resource, changed);
  }

  Client& client;
  const Lister& lister;
  const api::ResourceInfo* resource;
  std::string ns, name;
  Change change;
};

}  // namespace

sim::Task<Client::ObjectResult> UpdateWithRetries(Client& client, const Lister& lister,
                                                  const api::ResourceInfo* resource, std::string ns,
                                                  std::string name, Change change) {
  Environment& env = client.connection().env();
  JitterSource jitter(env, fmt::format("retry/{}/{}", client.connection().process().name(),
                                       resource->group_resource()));
  Attempt attempt(client, lister, resource, std::move(ns), std::move(name), std::move(change));
  co_return co_await RetryOnConflict<api::Object>(env.sim, DefaultBackoff(), jitter, attempt);
}

sim::Task<Client::ObjectResult> UpdateStatusWithOneRetry(Client& client,
                                                         const api::ResourceInfo* resource,
                                                         api::Object object, value::Value status) {
  static const value::Path kStatus{"status"};
  const std::string ns(object.ns()), name(object.name());
  for (int retries_left = 1;; --retries_left) {
    const api::Object update =
        api::Object::FromTree(object.tree().Set(kStatus, status), object.resource_version());
    Client::ObjectResult put = co_await client.UpdateStatus(resource, update);
    if (put.ok() || retries_left == 0) co_return put;
    Client::ObjectResult fresh = co_await client.Get(resource, ns, name);
    if (!fresh.ok()) co_return fresh;
    object = *fresh;
  }
}

}  // namespace ksim::client
