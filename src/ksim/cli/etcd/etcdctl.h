// EtcdctlPrinter: the answers to get and watch as etcdctl prints them, byte for byte. Source:
// etcd's etcdctl/ctlv3/command/printer*.go at v3.5, util.go printKV; the hexadecimal ids of
// `fields` are v3.6's. JSON is as Go's encoding/json writes the messages of rpc.proto and
// clientv3.WatchResponse.
#pragma once
#include <cstdint>
#include <string>

#include "ksim/cli/etcd/value_texts.h"
#include "ksim/store/kv_request.h"
#include "ksim/store/watch_request.h"

namespace ksim::cli {

// The cluster and the member of an etcd that was started with no flags.
inline constexpr std::uint64_t kEtcdClusterId = 14841639068965178418u;
inline constexpr std::uint64_t kEtcdMemberId = 10276657743932975437u;
inline constexpr int kEtcdRaftTerm = 2;

enum class EtcdctlFormat { kSimple, kJson, kFields, kTable, kProtobuf };

struct EtcdctlPrinter {
  EtcdctlPrinter() = default;
  EtcdctlFormat format = EtcdctlFormat::kSimple;  // kTable prints neither gets nor watches
  bool value_only = false;                        // of kSimple
  bool hex = false;  // of kSimple keys and values, of kFields ids and leases
  ValueText value = JsonText;

  std::string Get(const store::RangeResponse& response) const;
  std::string Watch(const store::WatchResponse& response) const;
};

// The header of an answer, of JSON's `header`. No revision for 0.
std::string EtcdctlJsonHeader(store::Revision revision);
std::string EtcdctlFieldsHeader(store::Revision revision, bool hex);

}  // namespace ksim::cli
