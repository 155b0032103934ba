// Content negotiation: in which form a client wants its answer, and in which form its body is.
//
// Sources: apiserver pkg/endpoints/handlers/negotiation/{negotiate.go,errors.go},
// github.com/munnerz/goautoneg.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/status.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/url.h"

namespace ksim::apiserver::http {

enum class Encoding : std::uint8_t { kJson, kYaml, kProtobuf };

// One form that an endpoint speaks.
struct MediaType {
  Encoding encoding = Encoding::kJson;
  std::string_view type;     // application
  std::string_view subtype;  // json
  bool streams = false;      // a watch can be told in it
  std::string text() const;  // application/json
};
// The forms of built-in kinds, and those of custom resources: no protobuf.
std::span<const MediaType> BuiltinMediaTypes();
std::span<const MediaType> CustomMediaTypes();

// A clause of an Accept header.
struct AcceptClause {
  std::string type, subtype;
  std::int64_t q = 0;  // billionths
  std::vector<std::pair<std::string, std::string>> parameters;
  std::string_view Parameter(std::string_view name) const;  // "" without one
};
// goautoneg ParseAccept, in its order.
std::vector<AcceptClause> ParseAccept(std::string_view header);

// The form of an answer.
struct OutputType {
  const MediaType* media = nullptr;
  bool pretty = false;
  // The kind that the answer is to become: as=Table;v=v1;g=meta.k8s.io. Empty: it stays as it is.
  std::string as, as_version, as_group;
};

// The kinds that an endpoint can turn its answers into.
enum class Transforms : std::uint8_t {
  kNone,       // discovery, health
  kResources,  // Table, PartialObjectMetadata, PartialObjectMetadataList of meta.k8s.io
};

// 406 with the forms that there are if none is wanted. `stream`: for a watch.
api::Result<OutputType> NegotiateOutput(const HttpRequest& request, const QueryValues& query,
                                        std::span<const MediaType> supported, Transforms transforms,
                                        bool stream);
// The form of a body by its Content-Type, JSON without one; 415 for a form that is not supported.
api::Result<const MediaType*> NegotiateInput(std::string_view content_type,
                                             std::span<const MediaType> supported);

// The media type of a Content-Type header in lower case, without its parameters; nullopt if it
// cannot be read (mime.ParseMediaType).
std::optional<std::string> BareMediaType(std::string_view header);

}  // namespace ksim::apiserver::http
