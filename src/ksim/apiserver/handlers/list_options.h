// List options: defaulting and validation of the options of lists and watches.
//
// Source: apimachinery pkg/apis/meta/internalversion/validation/validation.go, defaults.go.
#pragma once
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/profile.h"

namespace ksim::apiserver {

// 1.25 does not know sendInitialEvents: it is ignored there.
void DropUnknownListOptions(api::ListOptions& options, const Profile& profile);
// 1.36: a watch without a version, or from "0", that says nothing else is a watch-list (WATCH-05).
void DefaultWatchOptions(api::ListOptions& options, const Profile& profile);
// 422 with one cause a problem (API-38, WATCH-04).
api::Status ValidateListOptions(const api::ListOptions& options);
api::Status ValidateWatchOptions(const api::ListOptions& options, const Profile& profile);

}  // namespace ksim::apiserver
