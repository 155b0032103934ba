// ListQuery: a list request as storage and the watch cache understand it. ListResult: their answer.
//
// Source: apiserver pkg/storage/interfaces.go (ListOptions, ValidateListOptions).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/continue_token.h"
#include "ksim/apiserver/core/predicate.h"
#include "ksim/apiserver/core/profile.h"

namespace ksim::apiserver {

// "" and "0" are 0; anything else must be digits that fit (API-04). nullopt otherwise.
std::optional<std::int64_t> ParseResourceVersion(std::string_view text);
// Errors for a resource version that cannot be parsed (API-05): the versioner's, which has no code
// and becomes 500, and the 400 that storage makes of it (storage/api_object_versioner.go
// ParseResourceVersion, etcd3/store.go validateMinimumResourceVersion).
api::Status UnreadableResourceVersion(std::string_view text);
api::Status InvalidResourceVersion(std::string_view text);

struct ListQuery {
  enum class Match : std::uint8_t { kUnset, kExact, kNotOlderThan };
  ListQuery() = default;
  // `options` have passed ValidateListOptions. 400 for bad tokens, versions and selectors; 500 for
  // versions that the cache of older servers reads first.
  static api::Result<ListQuery> Make(const api::ResourceInfo& r, std::string_view ns,
                                     std::string_view name, const api::ListOptions& options,
                                     const Profile& profile);

  // One object can match at most: read by its key.
  bool single() const { return !key.empty(); }
  // Reads the state at `revision` exactly: match Exact, or the older rule for limit > 0.
  bool exact() const {
    return match == Match::kExact ||
           (match == Match::kUnset && !single() && limit > 0 && revision > 0 && !token);
  }
  bool rv_unset() const { return resource_version.empty(); }

  Predicate predicate;
  std::string key;               // of the single object, else ""
  std::string prefix;            // of the keys, else ""
  std::string resource_version;  // as sent
  std::int64_t revision = 0;     // its number
  Match match = Match::kUnset;
  std::int64_t limit = 0;              // 0 = all
  std::optional<ContinueToken> token;  // start is relative to `prefix`
};

struct ListResult {
  ListResult() = default;
  std::vector<api::Object> items;
  std::int64_t revision = 0;
  std::string continue_token;
  std::optional<std::int64_t> remaining;
  api::Response::From from = api::Response::From::kStore;
};

// Takes a page out of `candidates` (objects by key from the query's start on, all within its
// prefix): those that match, at most `limit` (0: all), and the token of the next page. API-46 to
// API-51.
ListResult TakePage(const ListQuery& query, std::vector<api::Object> candidates, std::int64_t limit,
                    std::int64_t revision);

}  // namespace ksim::apiserver
