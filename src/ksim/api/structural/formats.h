// Formats: the values of `format` in a schema, as kube-openapi's strfmt checks them. A format that
// a version does not support has no effect.
//
// Sources: kube-openapi pkg/validation/strfmt/{default,date,time,duration,bson}.go; govalidator
// patterns.go; apiextensions-apiserver pkg/apiserver/validation/formats.go.
#pragma once
#include <string_view>

#include "ksim/api/compat.h"

namespace ksim::api {

// Whether schemas of CustomResourceDefinitions may use the format: "date-time" or "datetime".
bool IsSupportedFormat(std::string_view format, Compat compat);
// Whether the text has the format, which is supported.
bool HasFormat(std::string_view text, std::string_view format);

}  // namespace ksim::api
