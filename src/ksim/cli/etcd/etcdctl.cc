#include "ksim/cli/etcd/etcdctl.h"

#include <fmt/format.h>

#include "ksim/cli/etcd/message_bytes.h"
#include "ksim/value/base64.h"
#include "ksim/value/text.h"

namespace ksim::cli {
namespace {

using store::KeyValue;

// --- simple ---

std::string HexBytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::string KeyLines(const EtcdctlPrinter& p, const KeyValue& kv) {
  const std::string value = p.value(kv.value());
  const std::string value_line = (p.hex ? HexBytes(value) : value) + "\n";
  if (p.value_only) return value_line;
  return (p.hex ? HexBytes(kv.key()) : std::string(kv.key())) + "\n" + value_line;
}

// --- json ---

// A field of an object that Go's `omitempty` leaves out when it is zero.
class JsonObject {
 public:
  JsonObject& Number(std::string_view name, std::int64_t n) {
    return n == 0 ? *this : Raw(name, fmt::format("{}", n));
  }
  JsonObject& Bytes(std::string_view name, std::string_view bytes) {
    return bytes.empty() ? *this : Raw(name, fmt::format("\"{}\"", value::Base64(bytes)));
  }
  JsonObject& Raw(std::string_view name, std::string_view json) {
    text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "" : ",", name, json);
    return *this;
  }
  std::string Text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

std::string Json(const EtcdctlPrinter& p, const KeyValue& kv) {
  return JsonObject()
      .Bytes("key", kv.key())
      .Number("create_revision", kv.create_revision())
      .Number("mod_revision", kv.mod_revision())
      .Number("version", kv.version())
      .Bytes("value", p.value(kv.value()))
      .Number("lease", kv.lease())
      .Text();
}

std::string Json(const EtcdctlPrinter& p, const store::WatchEvent& event) {
  JsonObject out;
  out.Number("type", event.is_delete() ? 1 : 0).Raw("kv", Json(p, event.kv));
  if (event.prev_kv) out.Raw("prev_kv", Json(p, event.prev_kv));
  return out.Text();
}

template <class Items>
std::string JsonList(const EtcdctlPrinter& p, const Items& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ",") + Json(p, item);
  return "[" + out + "]";
}

std::string JsonGet(const EtcdctlPrinter& p, const store::RangeResponse& r) {
  JsonObject out;
  out.Raw("header", EtcdctlJsonHeader(r.header.revision));
  if (!r.kvs.empty()) out.Raw("kvs", JsonList(p, r.kvs));
  if (r.more) out.Raw("more", "true");
  return out.Number("count", r.count).Text() + "\n";
}

std::string JsonWatch(const EtcdctlPrinter& p, const store::WatchResponse& r) {
  return JsonObject()
             .Raw("Header", EtcdctlJsonHeader(r.revision))
             .Raw("Events", JsonList(p, r.events))
             .Raw("CompactRevision", fmt::format("{}", r.compact_revision))
             .Raw("Canceled", r.canceled ? "true" : "false")
             .Raw("Created", r.created ? "true" : "false")
             .Text() +
         "\n";
}

// --- fields ---

std::string Fields(const EtcdctlPrinter& p, std::string_view prefix, const KeyValue& kv) {
  const std::string lease =
      p.hex ? fmt::format("{:016x}", kv.lease()) : fmt::format("{}", kv.lease());
  return fmt::format(
      "\"{0}Key\" : {1}\n\"{0}CreateRevision\" : {2}\n\"{0}ModRevision\" : {3}\n"
      "\"{0}Version\" : {4}\n\"{0}Value\" : {5}\n\"{0}Lease\" : {6}\n",
      prefix, value::GoQuote(kv.key()), kv.create_revision(), kv.mod_revision(), kv.version(),
      value::GoQuote(p.value(kv.value())), lease);
}

const char* TypeOf(const store::WatchEvent& event) { return event.is_delete() ? "DELETE" : "PUT"; }

}  // namespace

std::string EtcdctlJsonHeader(store::Revision revision) {
  return JsonObject()
      .Raw("cluster_id", fmt::format("{}", kEtcdClusterId))
      .Raw("member_id", fmt::format("{}", kEtcdMemberId))
      .Number("revision", revision)
      .Number("raft_term", kEtcdRaftTerm)
      .Text();
}

std::string EtcdctlFieldsHeader(store::Revision revision, bool hex) {
  const std::string ids =
      hex ? fmt::format("\"ClusterID\" : {:x}\n\"MemberID\" : {:x}\n", kEtcdClusterId,
                        kEtcdMemberId)
          : fmt::format("\"ClusterID\" : {}\n\"MemberID\" : {}\n", kEtcdClusterId, kEtcdMemberId);
  return ids + fmt::format("\"Revision\" : {}\n\"RaftTerm\" : {}\n", revision, kEtcdRaftTerm);
}

std::string EtcdctlPrinter::Get(const store::RangeResponse& r) const {
  if (format == EtcdctlFormat::kJson) return JsonGet(*this, r);
  if (format == EtcdctlFormat::kProtobuf) return RangeMessage(r, value);
  std::string out;
  if (format == EtcdctlFormat::kSimple) {
    for (const KeyValue& kv : r.kvs) out += KeyLines(*this, kv);
    return out;
  }
  out = EtcdctlFieldsHeader(r.header.revision, hex);
  for (const KeyValue& kv : r.kvs) out += Fields(*this, "", kv);
  return out + fmt::format("\"More\" : {}\n\"Count\" : {}\n", r.more, r.count);
}

std::string EtcdctlPrinter::Watch(const store::WatchResponse& r) const {
  if (format == EtcdctlFormat::kJson) return JsonWatch(*this, r);
  if (format == EtcdctlFormat::kProtobuf) return WatchMessage(r, value);
  std::string out;
  const bool fields = format == EtcdctlFormat::kFields;
  if (fields) out = EtcdctlFieldsHeader(r.revision, hex);
  const auto kv = [&](std::string_view prefix, const KeyValue& one) {
    return fields ? Fields(*this, prefix, one) : KeyLines(*this, one);
  };
  for (const store::WatchEvent& event : r.events) {
    out += fmt::format("{}{}\n", fields ? "\"Type\" : " : "", TypeOf(event));
    if (event.prev_kv) out += kv("Prev", event.prev_kv);
    out += kv("", event.kv);
  }
  return out;
}

}  // namespace ksim::cli
