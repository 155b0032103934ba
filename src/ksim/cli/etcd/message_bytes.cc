#include "ksim/cli/etcd/message_bytes.h"

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string_view>

#include "ksim/cli/etcd/etcdctl.h"

namespace ksim::cli {
namespace {

using protozero::pbf_tag_type;
using protozero::pbf_writer;
using store::KeyValue;

// Proto3 writes no field that has its zero value.
void AddInt(pbf_writer& writer, pbf_tag_type tag, std::int64_t n) {
  if (n != 0) writer.add_int64(tag, n);
}
void AddBytes(pbf_writer& writer, pbf_tag_type tag, std::string_view bytes) {
  if (!bytes.empty()) writer.add_bytes(tag, bytes.data(), bytes.size());
}

std::string HeaderOf(store::Revision revision) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_uint64(1, kEtcdClusterId);
  writer.add_uint64(2, kEtcdMemberId);
  AddInt(writer, 3, revision);
  AddInt(writer, 4, kEtcdRaftTerm);
  return bytes;
}

std::string MessageOf(const KeyValue& kv, const ValueText& value) {
  std::string bytes;
  pbf_writer writer(bytes);
  AddBytes(writer, 1, kv.key());
  AddInt(writer, 2, kv.create_revision());
  AddInt(writer, 3, kv.mod_revision());
  AddInt(writer, 4, kv.version());
  AddBytes(writer, 5, value(kv.value()));
  AddInt(writer, 6, kv.lease());
  return bytes;
}

std::string MessageOf(const store::WatchEvent& event, const ValueText& value) {
  std::string bytes;
  pbf_writer writer(bytes);
  AddInt(writer, 1, event.is_delete() ? 1 : 0);
  writer.add_message(2, MessageOf(event.kv, value));
  if (event.prev_kv) writer.add_message(3, MessageOf(event.prev_kv, value));
  return bytes;
}

}  // namespace

std::string RangeMessage(const store::RangeResponse& r, const ValueText& value) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_message(1, HeaderOf(r.header.revision));
  for (const KeyValue& kv : r.kvs) writer.add_message(2, MessageOf(kv, value));
  AddInt(writer, 3, r.more ? 1 : 0);
  AddInt(writer, 4, r.count);
  return bytes;
}

std::string WatchMessage(const store::WatchResponse& r, const ValueText& value) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_message(1, HeaderOf(r.revision));
  AddInt(writer, 3, r.created ? 1 : 0);
  AddInt(writer, 4, r.canceled ? 1 : 0);
  AddInt(writer, 5, r.compact_revision);
  for (const store::WatchEvent& event : r.events) writer.add_message(11, MessageOf(event, value));
  return bytes;
}

}  // namespace ksim::cli
