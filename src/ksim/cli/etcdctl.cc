#include "ksim/cli/etcdctl.h"

#include <fmt/format.h>

#include "ksim/value/base64.h"
#include "ksim/value/json.h"
#include "ksim/value/text.h"

namespace ksim::cli {
namespace {

using store::KeyValue;

// The cluster and the member of an etcd that was started with no flags.
constexpr std::uint64_t kClusterId = 14841639068965178418u;
constexpr std::uint64_t kMemberId = 10276657743932975437u;
constexpr int kRaftTerm = 2;

std::string BytesOf(const value::Value& v) {
  if (v.is_null() || v.is_string()) return std::string(v.AsString());
  return value::ToJson(v);
}

// --- simple ---

std::string Lines(const KeyValue& kv, bool value_only) {
  const std::string value = BytesOf(kv.value()) + "\n";
  return value_only ? value : std::string(kv.key()) + "\n" + value;
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

std::string JsonHeader(store::Revision revision) {
  return JsonObject()
      .Raw("cluster_id", fmt::format("{}", kClusterId))
      .Raw("member_id", fmt::format("{}", kMemberId))
      .Number("revision", revision)
      .Number("raft_term", kRaftTerm)
      .Text();
}

std::string Json(const KeyValue& kv) {
  return JsonObject()
      .Bytes("key", kv.key())
      .Number("create_revision", kv.create_revision())
      .Number("mod_revision", kv.mod_revision())
      .Number("version", kv.version())
      .Bytes("value", BytesOf(kv.value()))
      .Number("lease", kv.lease())
      .Text();
}

std::string Json(const store::WatchEvent& event) {
  JsonObject out;
  out.Number("type", event.is_delete() ? 1 : 0).Raw("kv", Json(event.kv));
  if (event.prev_kv) out.Raw("prev_kv", Json(event.prev_kv));
  return out.Text();
}

template <class Items>
std::string JsonList(const Items& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "" : ",") + Json(item);
  return "[" + out + "]";
}

std::string JsonGet(const store::RangeResponse& r) {
  JsonObject out;
  out.Raw("header", JsonHeader(r.header.revision));
  if (!r.kvs.empty()) out.Raw("kvs", JsonList(r.kvs));
  if (r.more) out.Raw("more", "true");
  return out.Number("count", r.count).Text() + "\n";
}

std::string JsonWatch(const store::WatchResponse& r) {
  return JsonObject()
             .Raw("Header", JsonHeader(r.revision))
             .Raw("Events", JsonList(r.events))
             .Raw("CompactRevision", fmt::format("{}", r.compact_revision))
             .Raw("Canceled", r.canceled ? "true" : "false")
             .Raw("Created", r.created ? "true" : "false")
             .Text() +
         "\n";
}

// --- fields ---

std::string FieldsHeader(store::Revision revision) {
  return fmt::format(
      "\"ClusterID\" : {}\n\"MemberID\" : {}\n\"Revision\" : {}\n\"RaftTerm\" : {}\n", kClusterId,
      kMemberId, revision, kRaftTerm);
}

std::string Fields(std::string_view prefix, const KeyValue& kv) {
  return fmt::format(
      "\"{0}Key\" : {1}\n\"{0}CreateRevision\" : {2}\n\"{0}ModRevision\" : {3}\n"
      "\"{0}Version\" : {4}\n\"{0}Value\" : {5}\n\"{0}Lease\" : {6}\n",
      prefix, value::GoQuote(kv.key()), kv.create_revision(), kv.mod_revision(), kv.version(),
      value::GoQuote(BytesOf(kv.value())), kv.lease());
}

const char* TypeOf(const store::WatchEvent& event) { return event.is_delete() ? "DELETE" : "PUT"; }

}  // namespace

std::string EtcdctlPrinter::Get(const store::RangeResponse& r) const {
  if (format == EtcdctlFormat::kJson) return JsonGet(r);
  std::string out;
  if (format == EtcdctlFormat::kSimple) {
    for (const KeyValue& kv : r.kvs) out += Lines(kv, value_only);
    return out;
  }
  out = FieldsHeader(r.header.revision);
  for (const KeyValue& kv : r.kvs) out += Fields("", kv);
  return out + fmt::format("\"More\" : {}\n\"Count\" : {}\n", r.more, r.count);
}

std::string EtcdctlPrinter::Watch(const store::WatchResponse& r) const {
  if (format == EtcdctlFormat::kJson) return JsonWatch(r);
  std::string out;
  if (format == EtcdctlFormat::kFields) out = FieldsHeader(r.revision);
  for (const store::WatchEvent& event : r.events) {
    if (format == EtcdctlFormat::kFields) {
      out += fmt::format("\"Type\" : {}\n", TypeOf(event));
      if (event.prev_kv) out += Fields("Prev", event.prev_kv);
      out += Fields("", event.kv);
    } else {
      out += fmt::format("{}\n", TypeOf(event));
      if (event.prev_kv) out += Lines(event.prev_kv, value_only);
      out += Lines(event.kv, value_only);
    }
  }
  return out;
}

}  // namespace ksim::cli
