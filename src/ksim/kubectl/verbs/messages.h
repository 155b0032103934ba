// The lines that kubectl's verbs print: errors, warnings.
//
// Source: kubectl pkg/cmd/util/helpers.go, pkg/cmd/apply/apply.go; client-go rest/warnings.go.
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/kinds.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/kubectl/verbs/command_output.h"

namespace ksim::kubectl {

// "Error from server (NotFound): ..." or what kubectl prints for a lost connection. `doing`: what
// was being done to an object of a manifest ("creating"), all of which come from the standard
// input.
std::string ErrorText(const api::Response& response, std::string_view doing = "");

// The advice of a server-side apply about fields that others own.
std::string ApplyConflictText(const api::Status& status);

// Adds "Warning: ..." for each warning of the response, each text once.
void AddWarnings(const api::Response& response, CommandOutput* output);

// "replicasets.apps/default/my-replicaset"
std::string ObjectPath(const api::ResourceInfo& info, std::string_view ns, std::string_view name);

}  // namespace ksim::kubectl
