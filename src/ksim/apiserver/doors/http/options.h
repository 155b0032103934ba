// The options of a request as its query gives them: text is taken as apimachinery's conversions
// take it ("yes" and nothing at all are true, of many values the first one counts, what is not
// known is ignored).
//
// Sources: apimachinery pkg/runtime/conversion.go, pkg/apis/meta/v1/{conversion.go,
// zz_generated.conversion.go}, pkg/apis/meta/v1/validation/validation.go (ValidateDryRun),
// api core/v1 types.go (PodLogOptions),
// apiserver pkg/endpoints/handlers/{get,create,delete}.go.
#pragma once
#include <cstdint>
#include <optional>

#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/url.h"
#include "ksim/base/time.h"

namespace ksim::apiserver::http {

// Each gives 400 with the conversion's text for a value that cannot be read; `out` is then half
// read and must not be used. Selectors are checked for their form, and stay text.

// metav1.ListOptions, and whether `watch` is asked for.
api::Status ReadListOptions(const QueryValues& query, api::ListOptions* out, bool* watch);
// metav1.GetOptions: the resource version alone.
api::Status ReadGetOptions(const QueryValues& query, api::ListOptions* out);
// core/v1 PodLogOptions.
struct PodLogQuery {
  PodLogQuery() = default;
  SharedText container, stream;
  std::optional<VirtualTime> since_time;
  bool follow = false, previous = false, timestamps = false;
  std::optional<std::int64_t> since_seconds, tail_lines, limit_bytes;
};
api::Status ReadPodLogOptions(const QueryValues& query, PodLogQuery* out);
// metav1.DeleteOptions, for a delete without a body.
api::Status ReadDeleteOptions(const QueryValues& query, api::Request* out,
                              api::RequestFlaws* flaws);
// metav1.CreateOptions, UpdateOptions and PatchOptions: dryRun, fieldManager, fieldValidation, and
// for a patch `force`.
api::Status ReadWriteOptions(const QueryValues& query, api::Request* out, api::RequestFlaws* flaws);

}  // namespace ksim::apiserver::http
