// BodyFlaws: what a door found wrong with a body as a text, told at the stage that decodes it: a
// text that is no JSON, and fields that are given twice.
//
// Source: apiserver pkg/endpoints/handlers/rest.go transformDecodeError, summarizeData;
// apimachinery pkg/runtime/serializer/json (strict decoding errors).
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// 400 if the body is no JSON; `wanted` is the kind that it should be of. Else null.
api::Result<value::Value> ReadableBody(const api::Request& request, std::string_view wanted);

// The body that was decoded, or the reason why not, with the fields that it gives twice: an error
// with fieldValidation Strict, warnings unless it is Ignore. `warned` is how many warnings there
// were before the decoding; those of double fields come before those of unknown ones.
api::Result<value::Value> TellDuplicates(const api::Request& request, const api::ResourceInfo& kind,
                                         api::Result<value::Value> decoded, std::size_t warned,
                                         std::vector<std::string>* warnings);

// A text as error messages show it: thirty characters of an object, or bytes in hexadecimal.
std::string SummarizeData(std::string_view text);

}  // namespace ksim::apiserver
