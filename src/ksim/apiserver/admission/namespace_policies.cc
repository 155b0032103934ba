#include "ksim/apiserver/admission/namespace_policies.h"

#include <utility>

#include "ksim/apiserver/core/list_query.h"
#include "ksim/apiserver/server.h"
#include "ksim/sim/simulation.h"

namespace ksim::apiserver {
namespace {

constexpr Duration kLiveTtl = Seconds(30);

}  // namespace

NamespacePolicies::NamespacePolicies(const PluginContext& context, std::string_view resource,
                                     bool looks_up_live)
    : context_(context),
      storage_(context.resources.StorageFor(*context.kinds.ByResource("", resource))),
      looks_up_live_(looks_up_live) {}

sim::Task<api::Result<std::vector<api::Object>>> NamespacePolicies::In(std::string ns) {
  std::vector<api::Object> items = storage_.cacher()->cache().List(ns + "/", "");
  const bool asks = looks_up_live_ || !storage_.cacher()->ready().ready();
  if (!items.empty() || !asks) co_return items;
  auto known = lookups_.find(ns);
  if (known == lookups_.end() || known->second.expiry < context_.process.SteadyNow()) {
    const api::ResourceInfo& resource = storage_.storage().resource();
    const api::Result<ListQuery> query = ListQuery::Make(
        resource, ns, "", api::ListOptions(), apiserver::ProfileOf(context_.shared.compat));
    if (!query.ok()) co_return query.status();
    api::Result<ListResult> live = co_await storage_.storage().List(*query);
    if (!live.ok()) co_return live.status();
    Lookup lookup;
    lookup.expiry = context_.process.SteadyNow() + kLiveTtl;
    lookup.items = std::move(live->items);
    known = lookups_.insert_or_assign(ns, std::move(lookup)).first;
  }
  co_return known->second.items;
}

}  // namespace ksim::apiserver
