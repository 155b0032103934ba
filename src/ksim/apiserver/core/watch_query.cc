#include "ksim/apiserver/core/watch_query.h"

#include <utility>

namespace ksim::apiserver {

api::Result<WatchQuery> WatchQuery::Make(const api::ResourceInfo& r, std::string_view ns,
                                         std::string_view name, const api::ListOptions& options,
                                         const Profile& profile) {
  api::ListOptions selecting = options;  // a watch ignores continue tokens
  selecting.continue_token = {};
  api::Result<Predicate> predicate = Predicate::Make(r, ns, name, selecting, profile);
  if (!predicate.ok()) return predicate.status();
  const std::optional<std::int64_t> revision = ParseResourceVersion(options.resource_version);
  if (!revision) return UnreadableResourceVersion(options.resource_version);
  WatchQuery query;
  query.predicate = *std::move(predicate);
  query.resource_version = options.resource_version;
  query.revision = *revision;
  query.send_initial = options.send_initial_events;
  query.bookmarks = options.allow_watch_bookmarks;
  return query;
}

}  // namespace ksim::apiserver
