// OpenAPI v3 of what a server serves, made of the Go types and patch schemas of the kinds: enough
// for clients that look up fields, patch strategies and whether a server validates fields.
// Descriptions are not there.
//
// Sources: kube-openapi pkg/handler3/handler.go, pkg/builder3; apiserver
// pkg/server/routes/openapi.go.
#pragma once
#include <string>
#include <string_view>

#include "ksim/apiserver/doors/http/discovery_entries.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::http {

// The paths of the documents, api/v1 and apis/GROUP/VERSION, each with the URL that has its hash.
value::Value OpenApiIndex(const ServedKinds& served);
// The document of a group and version; null if nothing is served there.
value::Value OpenApiDocument(const ServedKinds& served, std::string_view group,
                             std::string_view version);
// All of them in one document of version 2 (swagger).
value::Value OpenApiV2(const ServedKinds& served);
// The hash in that document's URL: 16 hex digits in capitals.
std::string OpenApiHash(const value::Value& document);

}  // namespace ksim::apiserver::http
