// EtcdctlPrinter: the answers to get and watch as etcdctl prints them, byte for byte. Source:
// etcd's etcdctl/ctlv3/command/printer*.go; JSON as Go's encoding/json writes the messages of
// rpc.proto and clientv3.WatchResponse.
#pragma once
#include <string>

#include "ksim/store/kv_request.h"
#include "ksim/store/watch_request.h"

namespace ksim::cli {

enum class EtcdctlFormat { kSimple, kJson, kFields };

struct EtcdctlPrinter {
  EtcdctlPrinter() = default;
  EtcdctlFormat format = EtcdctlFormat::kSimple;
  bool value_only = false;  // of kSimple

  std::string Get(const store::RangeResponse& response) const;
  std::string Watch(const store::WatchResponse& response) const;
};

}  // namespace ksim::cli
