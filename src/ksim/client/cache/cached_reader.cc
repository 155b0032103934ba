#include "ksim/client/cached_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ksim/base/status.h"
#include "ksim/client/cache/key_view.h"
#include "ksim/client/core/backoff.h"
#include "ksim/client/core/profile.h"
#include "ksim/value/selector.h"

namespace ksim::client {
namespace {

constexpr int kServerError = 500;

std::string IndexName(std::string_view field) { return fmt::format("field:{}", field); }
// cache_reader.go KeyToNamespacedKey.
std::string IndexKey(std::string_view ns, std::string_view value) {
  return fmt::format("{}/{}", ns.empty() ? "__all_namespaces" : ns, value);
}

api::Status Problem(std::string message) { return api::Unmapped(kServerError, message); }

// byIndexes: the first term's objects, then those of them that the others have too. Before 0.15
// (`one_only`) there was one term or none.
api::Result<std::vector<api::Object>> ByFields(const Lister& lister,
                                               const std::vector<value::FieldSelector::Term>& terms,
                                               std::string_view ns, bool one_only) {
  const bool exact = std::none_of(terms.begin(), terms.end(),
                                  [](const value::FieldSelector::Term& t) { return t.negated; });
  if (!exact || (one_only && terms.size() != 1))
    return Problem("non-exact field matches are not supported by the cache");
  std::vector<api::Object> found;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string name = IndexName(terms[i].field.text());
    if (!lister.HasIndex(name))
      return Problem(
          fmt::format("{} with name {} does not exist", i == 0 ? "Index" : "index", name));
    const std::vector<api::Object> more = lister.ByIndex(name, IndexKey(ns, terms[i].value));
    if (i == 0) {
      found = more;
    } else {
      std::erase_if(found, [&](const api::Object& o) {
        return !std::binary_search(more.begin(), more.end(), o, LessKey());
      });
    }
    if (found.empty()) break;
  }
  return found;
}

}  // namespace

void CachedReader::IndexField(const api::ResourceInfo* resource, const std::string& field,
                              IndexFunc function) {
  informers_.For(resource).AddIndex(
      IndexName(field),
      [function = std::move(function)](const api::Object& object, IndexValues& keys) {
        IndexValues values;
        function(object, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
          keys.Add(IndexKey("", values[i]));
          if (!object.ns().empty()) keys.Add(IndexKey(object.ns(), values[i]));
        }
      });
}

sim::Task<api::Result<SharedInformer*>> CachedReader::Informer(const api::ResourceInfo* resource) {
  if (!informers_.started()) co_return Problem("the cache is not started, can not read objects");
  SharedInformer* informer = &informers_.For(resource);
  informers_.Start();
  while (!informer->HasSynced()) {
    co_await connection_.env().sim.Sleep(kSyncedPollPeriod, sim::TimerKind::kWork,
                                         "wait for cache sync");
  }
  co_return informer;
}

sim::Task<api::Result<api::Object>> CachedReader::Get(const api::ResourceInfo* resource,
                                                      std::string ns, std::string name) {
  if (live_.contains(resource->group_resource()))
    co_return co_await client_.Get(resource, ns, name);
  const api::Result<SharedInformer*> informer = co_await Informer(resource);
  if (!informer.ok()) co_return informer.status();
  if (!resource->namespaced) ns.clear();  // as CacheReader.Get
  api::Object object = (*informer)->lister().Get(ns, name);
  if (object.empty())
    co_return api::NotFound(api::GroupResource(resource->group, resource->resource), name);
  co_return std::move(object);
}

sim::Task<api::Result<std::vector<api::Object>>> CachedReader::List(
    const api::ResourceInfo* resource, CacheListOptions options) {
  absl::StatusOr<value::LabelSelector> labels = value::LabelSelector::Parse(options.label_selector);
  if (!labels.ok()) co_return Problem(std::string(Message(labels.status())));
  absl::StatusOr<value::FieldSelector> fields = value::FieldSelector::Parse(options.field_selector);
  if (!fields.ok()) co_return Problem(std::string(Message(fields.status())));
  if (live_.contains(resource->group_resource())) {
    api::ListOptions live;
    live.label_selector = options.label_selector;
    live.field_selector = options.field_selector;
    live.limit = options.limit;
    api::Result<ListResult> listed = co_await client_.List(resource, options.ns, live);
    if (!listed.ok()) co_return listed.status();
    co_return std::move(listed->items);
  }
  const api::Result<SharedInformer*> informer = co_await Informer(resource);
  if (!informer.ok()) co_return informer.status();
  const Lister& lister = (*informer)->lister();
  std::vector<api::Object> found;
  if (fields->empty()) {
    found = lister.List(options.ns);
  } else {
    const bool one_only = !ProfileOf(connection_.compat()).indexes_several_fields;
    api::Result<std::vector<api::Object>> matching =
        ByFields(lister, fields->terms(), options.ns, one_only);
    if (!matching.ok()) co_return matching.status();
    found = *std::move(matching);
  }
  std::vector<api::Object> out;
  for (api::Object& object : found) {
    if (options.limit > 0 && out.size() == static_cast<std::size_t>(options.limit)) break;
    if (labels->Matches(object.labels())) out.push_back(std::move(object));
  }
  co_return std::move(out);
}

}  // namespace ksim::client
