#include "ksim/apiserver/core/list_query.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "ksim/api/core/go_text.h"

namespace ksim::apiserver {

std::optional<std::int64_t> ParseResourceVersion(std::string_view text) {
  if (text.empty()) return 0;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  // Nothing is ever stored at a revision beyond int64: clients may send one, it is just too large.
  if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(number);
}

namespace {

std::string ParseError(std::string_view text) {
  const bool digits = text.find_first_not_of("0123456789") == text.npos;
  const std::string quoted = api::GoQuote(text);
  return fmt::format("resourceVersion: Invalid value: {}: strconv.ParseUint: parsing {}: {}",
                     quoted, quoted, digits ? "value out of range" : "invalid syntax");
}

// Whether the cache reads the version and not storage: before 1.36, which validates the options
// first (cacher.go GetList and shouldDelegateList).
bool CacheReadsVersion(const api::ResourceInfo& r, const ListQuery& query, const Profile& profile) {
  return profile.list_parses_version_in_cache && r.watch_cached && query.limit == 0 &&
         query.match != ListQuery::Match::kExact;
}

}  // namespace

api::Status UnreadableResourceVersion(std::string_view text) {
  return api::Unmapped(500, ParseError(text));
}

api::Status InvalidResourceVersion(std::string_view text) {
  return api::BadRequest("invalid resource version: " + ParseError(text));
}

api::Result<ListQuery> ListQuery::Make(const api::ResourceInfo& r, std::string_view ns,
                                       std::string_view name, const api::ListOptions& options,
                                       const Profile& profile) {
  api::Result<Predicate> predicate = Predicate::Make(r, ns, name, options, profile);
  if (!predicate.ok()) return predicate.status();
  ListQuery query;
  query.predicate = *std::move(predicate);
  query.key = query.predicate.SingleKey();
  query.prefix = query.predicate.KeyPrefix();
  query.resource_version = options.resource_version;
  query.limit = std::max<std::int64_t>(options.limit, 0);
  if (options.resource_version_match == "Exact") query.match = Match::kExact;
  if (options.resource_version_match == "NotOlderThan") query.match = Match::kNotOlderThan;
  if (!options.continue_token.empty()) {
    api::Result<ContinueToken> token = DecodeContinue(options.continue_token);
    if (!token.ok()) return token.status();
    if (!options.resource_version.empty() && options.resource_version != "0")
      return api::BadRequest("specifying resource version is not allowed when using continue");
    query.token = *std::move(token);
    return query;
  }
  const std::optional<std::int64_t> revision = ParseResourceVersion(options.resource_version);
  if (!revision) {
    if (CacheReadsVersion(r, query, profile))
      return UnreadableResourceVersion(options.resource_version);
    return InvalidResourceVersion(options.resource_version);
  }
  query.revision = *revision;
  return query;
}

ListResult TakePage(const ListQuery& query, std::vector<api::Object> candidates, std::int64_t limit,
                    std::int64_t revision) {
  ListResult result;
  result.revision = revision;
  const auto count = static_cast<std::int64_t>(candidates.size());
  std::int64_t seen = 0;
  for (api::Object& object : candidates) {
    ++seen;
    if (query.predicate.MatchesSelectors(object)) result.items.push_back(std::move(object));
    if (limit > 0 && static_cast<std::int64_t>(result.items.size()) == limit) break;
  }
  if (seen == count || result.items.empty()) return result;
  std::string last = result.items.back().key();
  result.continue_token = EncodeContinue(
      ContinueToken(revision, last.substr(query.prefix.size()) + std::string(1, '\0')));
  if (!query.predicate.has_selectors()) result.remaining = count - limit;
  return result;
}

}  // namespace ksim::apiserver
