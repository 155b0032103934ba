// Bodies: objects, lists, Statuses and watch events in the forms that clients ask for, and the
// bodies of requests as trees.
//
// Sources: apiserver pkg/endpoints/handlers/{response.go,watch.go},
// pkg/endpoints/handlers/responsewriters/writers.go, pkg/registry/rest/table.go; apimachinery
// pkg/apis/meta/v1 (Table, PartialObjectMetadata).
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/negotiation.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::http {

// metav1.TableOptions.
struct TableOptions {
  bool no_headers = false;
  bool dry_run = false;
  std::string include_object;  // "" (Metadata), None, Metadata, Object
};
// 400 for an includeObject that there is not.
api::Status ReadTableOptions(const QueryValues& query, TableOptions* out);

// The body of a response, as `type` wants it. Ages in tables count up to `now`. 406 where it
// cannot be had: a list as PartialObjectMetadata.
api::Result<value::Value> TransformedBody(const api::ResourceInfo& resource, api::Verb verb,
                                          const api::Response& response, const OutputType& type,
                                          const TableOptions& options, api::Compat compat,
                                          VirtualTime now);

// One event of a watch as a tree: {type, object}.
api::Result<value::Value> TransformedEvent(const api::ResourceInfo& resource,
                                           const api::WatchEvent& event, const OutputType& type,
                                           const TableOptions& options, api::Compat compat,
                                           VirtualTime now);

// The bytes of a tree. JSON ends with a newline, as Go's encoder writes it.
std::string Encode(const value::Value& tree, Encoding encoding, bool pretty);

// The bytes of one event of a watch: a line of JSON, or a frame of protobuf.
std::string EncodeEvent(const value::Value& event, Encoding encoding);

// The tree of a request's body; 400 with the decoder's words where it is none.
api::Result<value::Value> Decode(std::string_view body, Encoding encoding);
// JSON as Go reads it: 400 in Go's words for what is none, and of a field that is given twice the
// last, whose path is appended to `duplicates` if that is not null.
api::Result<value::Value> DecodeJson(std::string_view body, std::vector<std::string>* duplicates);

}  // namespace ksim::apiserver::http
