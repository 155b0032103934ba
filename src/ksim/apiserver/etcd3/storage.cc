#include "ksim/apiserver/etcd3/storage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "ksim/apiserver/core/event_conversion.h"
#include "ksim/apiserver/etcd3/state.h"
#include "ksim/base/status.h"

namespace ksim::apiserver {

api::Status StorageError(const absl::Status& error) { return api::Unmapped(500, Message(error)); }

Storage::Storage(store::EtcdClient& client, LeaseManager& leases, const api::ResourceInfo& resource,
                 const Profile& profile, ObjectConverter* converter)
    : client_(client),
      leases_(leases),
      resource_(resource),
      profile_(profile),
      converter_(converter),
      root_(api::StorageKey(resource, "", "")),
      root_end_(store::PrefixEnd(root_)) {}

// api::StorageKey: of the collection it is known.
SharedText Storage::Key(std::string_view ns, std::string_view name) const {
  const std::string_view root = root_;
  absl::InlinedVector<char, 256> key(root.size() + ns.size() + 1 + name.size());
  char* end = std::copy(root.begin(), root.end(), key.data());
  if (resource_.namespaced && !ns.empty()) {
    end = std::copy(ns.begin(), ns.end(), end);
    *end++ = '/';
  }
  end = std::copy(name.begin(), name.end(), end);
  return std::string_view(key.data(), static_cast<std::size_t>(end - key.data()));
}

std::string Storage::KeyOf(std::string_view object_key) const {
  return root_ + std::string(object_key);
}

api::Object Storage::Decode(const store::KeyValue& kv) const {
  return api::Object::FromTree(FromStored(resource_, kv.value()), kv.mod_revision());
}

sim::Task<api::Result<api::Object>> Storage::DecodeByWebhook(store::KeyValue kv) {
  const std::int64_t revision = kv.mod_revision();
  return ReadBackByWebhook(kv.value(), revision);
}

sim::Task<api::Result<api::Object>> Storage::ReadBackByWebhook(value::Value stored,
                                                               std::int64_t revision) {
  api::Result<value::Value> tree =
      co_await ServedByWebhook(*converter_, resource_, std::move(stored));
  if (!tree.ok()) co_return tree.status();
  co_return api::Object::FromTree(*std::move(tree), revision);
}

sim::Task<api::Result<api::Object>> Storage::Get(SharedText ns, SharedText name,
                                                 std::int64_t min_revision) {
  store::RangeRequest request(Key(ns, name));
  absl::StatusOr<store::RangeResponse> response = co_await client_.Range(std::move(request));
  if (!response.ok()) co_return StorageError(response.status());
  if (response->header.revision < min_revision)
    co_return api::TooLargeResourceVersion(min_revision, response->header.revision, 0);
  if (response->kvs.empty()) co_return api::NotFound(group_resource(), name);
  const store::KeyValue& kv = response->kvs.front();
  if (AsksWebhook(kv)) co_return co_await DecodeByWebhook(kv);
  co_return Decode(kv);
}

sim::Task<api::Result<std::int64_t>> Storage::CurrentRevision() {
  store::RangeRequest request(root_);
  request.limit = 1;
  request.keys_only = true;
  absl::StatusOr<store::RangeResponse> response = co_await client_.Range(std::move(request));
  if (!response.ok()) co_return StorageError(response.status());
  co_return response->header.revision;
}

sim::Task<api::Result<api::Object>> Storage::Create(api::Object object, WriteContext context) {
  // A dry run looks at no version (dryrun.go DryRunnableStorage.Create).
  if (!context.dry_run && object.resource_version() != 0)
    co_return api::Unmapped(500, "resourceVersion should not be set on objects to be created");
  const std::string name(object.name());
  SharedText key = Key(object.ns(), name);
  if (context.dry_run) {
    api::Result<api::Object> found = co_await Get(std::string(object.ns()), name, 0);
    if (found.ok()) co_return api::AlreadyExists(group_resource(), name);
    if (!api::IsNotFound(found.status())) co_return found.status();
    co_return object;
  }
  const bool asks = AsksWebhookToStore(object.tree());
  api::Result<value::Value> stored = value::Value();
  if (asks) stored = co_await StoredByWebhook(*converter_, resource_, object.tree());
  if (!stored.ok()) co_return stored.status();
  store::PutRequest put(std::move(key), asks ? *stored : ToStored(resource_, object.tree()));
  api::Status leased;
  if (context.ttl > 0) leased = co_await AttachLease(context.ttl, put);
  if (!leased.ok()) co_return leased;
  store::TxnRequest txn = store::OptimisticPut(std::move(put), 0, false);
  absl::StatusOr<store::TxnResponse> response = co_await Commit(std::move(txn), context);
  if (!response.ok()) co_return StorageError(response.status());
  if (!response->succeeded) co_return api::AlreadyExists(group_resource(), name);
  if (asks) co_return co_await ReadBackByWebhook(*stored, response->header.revision);
  co_return ReadBack(resource_, std::move(object), response->header.revision);
}

}  // namespace ksim::apiserver
