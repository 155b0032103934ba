// Part of cacher.h: lists served from the watch cache.
#include <fmt/format.h>

#include <utility>

#include "ksim/apiserver/cacher/cacher.h"

namespace ksim::apiserver {

// Returns the revision that the cache must have reached for the query: the store's own for a
// consistent read, else that of the request. Upstream: watch_cache.go waitUntilFreshAndList.
sim::Task<api::Result<std::int64_t>> Cacher::ListRevision(const ListQuery& query) {
  const bool consistent = query.match == ListQuery::Match::kUnset &&
                          (query.token ? query.token->revision < 0 : query.rv_unset());
  if (consistent && profile_.consistent_list_from_cache)
    co_return co_await storage_.CurrentRevision();
  if (query.token) co_return query.token->revision;
  co_return query.revision;
}

sim::Task<api::Result<ListResult>> Cacher::List(const ListQuery& query) {
  // Waits until the cache is as fresh as the query demands.
  const api::Result<std::int64_t> required = co_await ListRevision(query);
  if (!required.ok()) co_return required.status();
  const api::Status fresh = co_await WaitUntilFresh(*required);
  if (!fresh.ok()) co_return fresh;

  // Collects the objects that may match, by the cheapest way.
  std::string start = query.prefix;
  if (query.token) start += query.token->start;
  const bool exact = query.exact() || (query.token && query.token->revision > 0);
  std::int64_t revision = cache_.revision();
  std::vector<api::Object> candidates;
  if (query.single()) {
    if (const api::Object* found = cache_.Find(query.key)) candidates.push_back(*found);
  } else if (exact) {
    revision = *required;
    auto then = cache_.ListExact(revision, query.prefix, start);
    if (!then) co_return api::Expired(fmt::format("too old resource version: {}", revision));
    candidates = *std::move(then);
  } else if (query.predicate.node_name() != nullptr && cache_.has_node_index() && !query.token) {
    candidates = cache_.ListOnNode(*query.predicate.node_name(), query.prefix);
  } else {
    candidates = cache_.List(query.prefix, start);
  }
  // Selects a page of them.
  const std::int64_t limit = query.single() || query.resource_version == "0" ? 0 : query.limit;
  ListResult result = TakePage(query, std::move(candidates), limit, revision);
  result.from = api::Response::From::kCache;
  co_return result;
}

}  // namespace ksim::apiserver
