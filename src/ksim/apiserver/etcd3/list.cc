// Part of storage.h: lists served from storage.
#include <algorithm>
#include <utility>

#include "ksim/apiserver/etcd3/state.h"
#include "ksim/apiserver/etcd3/storage.h"
#include "ksim/store/errors.h"

namespace ksim::apiserver {
namespace {

// Pages grow while a selector matches little (etcd3/store.go maxLimit).
constexpr std::int64_t kMaxPage = 10000;

// The revision to read at; 0 = the newest.
store::Revision ReadRevision(const ListQuery& query) {
  if (query.token) return std::max<store::Revision>(query.token->revision, 0);
  return query.exact() ? query.revision : 0;
}

}  // namespace

// etcd3/errors.go interpretListError; an error without a status of its own is a 500.
api::Status Storage::ListError(const absl::Status& error, const ListQuery& query) const {
  if (store::IsCompacted(error)) {
    if (query.token) return ExpiredContinue(*query.token);
    return api::Expired("The resourceVersion for the provided list is too old.");
  }
  return StorageError(error);
}

sim::Task<api::Result<ListResult>> Storage::List(const ListQuery& query) {
  store::RangeRequest range(KeyOf(query.prefix));
  if (query.single()) range.key = KeyOf(query.key);
  if (!query.single()) range.range_end = store::PrefixEnd(range.key);
  if (query.token) range.key = range.key + query.token->start;
  range.revision = ReadRevision(query);
  const std::int64_t limit = query.single() ? 0 : query.limit;
  range.limit = limit;
  ListResult result;
  std::string last_key;
  while (true) {
    // Reads a page.
    absl::StatusOr<store::RangeResponse> response = co_await client_.Range(range);
    if (!response.ok() && store::IsFutureRevision(response.status()) &&
        profile_.list_names_current_revision) {
      api::Result<std::int64_t> current = co_await CurrentRevision();
      if (!current.ok()) co_return current.status();
      co_return api::TooLargeResourceVersion(range.revision, *current, 0);
    }
    if (!response.ok()) co_return ListError(response.status(), query);
    if (query.revision > response->header.revision)
      co_return api::TooLargeResourceVersion(query.revision, response->header.revision, 0);
    if (range.revision == 0) range.revision = response->header.revision;
    result.revision = range.revision;
    // Selects objects from it, up to the limit.
    bool more = response->more;
    const std::int64_t before = static_cast<std::int64_t>(result.items.size());
    for (const store::KeyValue& kv : response->kvs) {
      if (limit > 0 && static_cast<std::int64_t>(result.items.size()) == limit) {
        more = true;
        break;
      }
      last_key = std::string(kv.key());
      api::Object object;
      if (AsksWebhook(kv)) {
        api::Result<api::Object> converted = co_await DecodeByWebhook(kv);
        if (!converted.ok()) co_return converted.status();
        object = *std::move(converted);
      } else {
        object = Decode(kv);
      }
      if (query.predicate.MatchesSelectors(object)) result.items.push_back(std::move(object));
    }
    // Reads a larger page while the selector has matched too little; else ends with a continue
    // token.
    const bool filled = limit > 0 && static_cast<std::int64_t>(result.items.size()) >= limit;
    if (more && limit > 0 && !filled) {
      range.limit = std::min(range.limit * 2, kMaxPage);
      range.key = last_key + std::string(1, '\0');
      continue;
    }
    if (!more || limit == 0) co_return result;
    const std::string suffix = last_key.substr(root_.size() + query.prefix.size());
    result.continue_token =
        EncodeContinue(ContinueToken(range.revision, suffix + std::string(1, '\0')));
    if (!query.predicate.has_selectors()) result.remaining = response->count - (limit - before);
    co_return result;
  }
}

}  // namespace ksim::apiserver
