// WatchQuery: a watch request as the watch cache and storage understand it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/list_query.h"
#include "ksim/base/time.h"

namespace ksim::apiserver {

struct WatchQuery {
  WatchQuery() = default;
  // `options` are validated and have their defaults (handlers/list_options.h).
  static api::Result<WatchQuery> Make(const api::ResourceInfo& r, std::string_view ns,
                                      std::string_view name, const api::ListOptions& options,
                                      const Profile& profile);

  bool wants_state() const { return send_initial && *send_initial; }
  // A watch-list: the client waits for the bookmark that ends the initial events.
  bool is_watch_list() const { return wants_state() && bookmarks; }

  Predicate predicate;
  std::string resource_version;  // as sent
  std::int64_t revision = 0;     // its number
  std::optional<bool> send_initial;
  bool bookmarks = false;
  VirtualTime deadline;
};

}  // namespace ksim::apiserver
