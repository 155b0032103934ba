// Op scripts: requests and results of the store as JSON, one operation a line. These
// functions translate them; replay.h runs a script. Strings are plain text, numbers signed 64-bit,
// an absent field its zero value.
#pragma once
#include "absl/status/statusor.h"
#include "ksim/store/kv_request.h"
#include "ksim/store/watch_request.h"
#include "ksim/value/value.h"

namespace ksim::store {

RangeRequest RangeFromScript(const value::Value& op);
PutRequest PutFromScript(const value::Value& op);  // value_len N stands for "x" N times
DeleteRangeRequest DeleteRangeFromScript(const value::Value& op);
// InvalidArgument for an unknown operation or compare.
absl::StatusOr<TxnRequest> TxnFromScript(const value::Value& op);
WatchRequest WatchFromScript(const value::Value& op);

// Results, without `i`.
value::Value ToScript(const KeyValue& kv);  // null for none
value::Value ToScript(const RangeResponse& r);
value::Value ToScript(const PutResponse& r);
value::Value ToScript(const DeleteRangeResponse& r);
value::Value ToScript(const TxnResponse& r);
value::Value ToScript(const WatchEvent& e);

}  // namespace ksim::store
