#include "ksim/apiserver/cacher/delegator.h"

#include <utility>

#include "ksim/sim/probe.h"

namespace ksim::apiserver {

using From = api::Response::From;

namespace {

std::string ObjectKey(std::string_view ns, std::string_view name) {
  std::string key;
  key.reserve(ns.size() + 1 + name.size());
  return key.append(ns).append(1, '/').append(name);
}

}  // namespace

sim::Task<api::Result<CacheDelegator::Found>> CacheDelegator::Get(SharedText ns, SharedText name,
                                                                  SharedText resource_version) {
  const std::optional<std::int64_t> revision = ParseResourceVersion(resource_version);
  bool from_storage = resource_version.empty() || cacher_ == nullptr;
  if (!revision) {
    const bool stored =
        from_storage || (profile_.resilient_cache_init && !cacher_->ready().ready());
    co_return stored ? InvalidResourceVersion(resource_version)
                     : UnreadableResourceVersion(resource_version);
  }
  if (!from_storage && !cacher_->ready().ready()) {
    from_storage = profile_.resilient_cache_init || *revision == 0;
    if (!from_storage) co_await cacher_->ready().Wait();
  }
  api::Result<api::Object> object = api::Object();
  if (from_storage) object = co_await storage_.Get(ns, name, *revision);
  if (!from_storage) object = co_await cacher_->Get(ns, name, *revision);
  if (!object.ok()) co_return object.status();
  const From from = from_storage ? From::kStore : From::kCache;
  co_return Found(*std::move(object), from);
}

bool CacheDelegator::ShouldDelegate(const ListQuery& query) const {
  if (!profile_.consistent_list_from_cache) {
    const bool consistent = query.rv_unset();
    const bool limited = query.limit > 0 && query.resource_version != "0";
    return consistent || query.token || limited || query.match == ListQuery::Match::kExact;
  }
  std::int64_t exact = 0;
  if (query.exact()) exact = query.revision;
  if (query.token && query.match == ListQuery::Match::kUnset) exact = query.token->revision;
  // Single keys are read as of a revision from storage only, and so are those with a limit, which
  // does not apply to them (cacher.go ShouldDelegateExactRV).
  const bool limited =
      query.match == ListQuery::Match::kUnset && query.limit > 0 && query.revision > 0;
  if (query.single() && (limited || query.match == ListQuery::Match::kExact)) return true;
  if (exact <= 0) return false;
  const WatchCache& cache = cacher_->cache();
  return exact <= cache.revision() && !cache.CanServeExact(exact);
}

bool CacheDelegator::ShouldDelegateUnready(const ListQuery& query) const {
  if (!profile_.resilient_cache_init) return query.revision == 0;
  return query.limit > 0 && !query.predicate.has_selectors();
}

sim::Task<api::Result<ListResult>> CacheDelegator::List(const ListQuery& query) {
  if (cacher_ == nullptr || ShouldDelegate(query)) co_return co_await storage_.List(query);
  if (!cacher_->ready().ready()) {
    if (ShouldDelegateUnready(query)) co_return co_await storage_.List(query);
    if (profile_.resilient_cache_init) co_return cacher_->ready().NotReady();
    co_await cacher_->ready().Wait();
  }
  co_return co_await ListFromCache(query);
}

sim::Task<api::Result<ListResult>> CacheDelegator::ListFromCache(const ListQuery& query) {
  api::Result<ListResult> result = co_await cacher_->List(query);
  if (result.ok() || !profile_.consistent_list_from_cache) co_return result;
  const bool consistent = query.match == ListQuery::Match::kUnset &&
                          (query.token ? query.token->revision < 0 : query.rv_unset());
  const bool lagging = consistent && api::IsTooLargeResourceVersion(result.status());
  if (!lagging && !api::IsExpired(result.status())) co_return result;
  KSIM_PROBE("apiserver/list-fell-back-to-storage");
  co_return co_await storage_.List(query);
}

api::Object CacheDelegator::Suggestion(std::string_view ns, std::string_view name) const {
  if (cacher_ == nullptr) return api::Object();
  const WatchCache& cache = cacher_->cache();
  const api::Object* found = ns.empty() ? cache.Find(name) : cache.Find(ObjectKey(ns, name));
  return found == nullptr ? api::Object() : *found;
}

}  // namespace ksim::apiserver
