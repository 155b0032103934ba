#include "ksim/client/cached_reader.h"

#include <fmt/format.h>

#include <utility>

#include "ksim/base/status.h"
#include "ksim/value/selector.h"

namespace ksim::client {
namespace {

constexpr Duration kSyncedPollPeriod = Milliseconds(100);
constexpr int kServerError = 500;

std::string IndexName(std::string_view field) { return fmt::format("field:{}", field); }
// cache_reader.go KeyToNamespacedKey.
std::string IndexKey(std::string_view ns, std::string_view value) {
  return fmt::format("{}/{}", ns.empty() ? "__all_namespaces" : ns, value);
}

api::Status Problem(std::string message) { return api::Unmapped(kServerError, message); }

}  // namespace

void CachedReader::IndexField(const api::ResourceInfo* resource, const std::string& field,
                              IndexFunc values) {
  informers_.For(resource).AddIndex(IndexName(field),
                                    [values = std::move(values)](const api::Object& object) {
                                      std::vector<std::string> keys;
                                      for (const std::string& value : values(object)) {
                                        keys.push_back(IndexKey("", value));
                                        if (!object.ns().empty())
                                          keys.push_back(IndexKey(object.ns(), value));
                                      }
                                      return keys;
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
    const std::vector<value::FieldSelector::Term>& terms = fields->terms();
    if (terms.size() != 1 || terms[0].negated)
      co_return Problem("non-exact field matches are not supported by the cache");
    const std::string_view field = terms[0].field.text();
    if (!lister.HasIndex(IndexName(field)))
      co_return Problem(fmt::format("Index with name field:{} does not exist", field));
    found = lister.ByIndex(IndexName(field), IndexKey(options.ns, terms[0].value));
  }
  std::vector<api::Object> out;
  for (api::Object& object : found) {
    if (options.limit > 0 && out.size() == static_cast<std::size_t>(options.limit)) break;
    if (labels->Matches(object.labels())) out.push_back(std::move(object));
  }
  co_return std::move(out);
}

}  // namespace ksim::client
