// The answers to get and watch as the protobuf messages of etcd, as `etcdctl -w protobuf` writes
// them: one after the other, with nothing between.
//
// Source: etcd etcdctl/ctlv3/command/printer_protobuf.go; api/etcdserverpb/rpc.proto,
// api/mvccpb/kv.proto.
#pragma once
#include <string>

#include "ksim/cli/etcd/value_texts.h"
#include "ksim/store/kv_request.h"
#include "ksim/store/watch_request.h"

namespace ksim::cli {

std::string RangeMessage(const store::RangeResponse& response, const ValueText& value);
std::string WatchMessage(const store::WatchResponse& response, const ValueText& value);

}  // namespace ksim::cli
