// Words of HTTP that logs of requests print.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/request.h"
#include "ksim/value/value.h"

namespace ksim::kubectl {

const char* Method(api::Verb verb);  // "POST"
std::string StatusText(int code);    // "Not Found"; "" for a code that Kubernetes never gives
// "https://kube-apiserver-0:6443/api/v1/pods?limit=500"
std::string UrlOf(std::string_view server, std::string_view target);

// A body as a verbosity prints it: 1 KiB at level 8, 10 KiB at 9, all from 10 on; what is cut is
// counted.
//
// Source: client-go rest/request.go truncateBody.
std::string CutBody(const std::string& text, int level);

// A Status, in Go's order of fields and indented by two spaces (json.MarshalIndent).
std::string IndentedGoJson(const value::Value& status);

}  // namespace ksim::kubectl
