// FieldManager: server-side apply of one request, and the update of managedFields after every other
// write.
//
// An object is tracked from its first apply on: the fields that it had until then belong to
// "before-first-apply", as upstream with DefaultTrackOnCreateProbability at 0. A create with
// Request::tracks_fields is tracked at once, as upstream is by default.
//
// Source: apimachinery pkg/util/managedfields/internal (fieldmanager.go and the managers it is made
// of: versioncheck.go, lastappliedupdater.go, lastappliedmanager.go, skipnonapplied.go,
// capmanagers.go, managedfieldsupdater.go, stripmeta.go, structuredmerge.go).
#pragma once
#include <string>
#include <string_view>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/apply/updater.h"
#include "ksim/base/time.h"

namespace ksim::apiserver {

class FieldManager {
 public:
  FieldManager(const api::Request& request, VirtualTime now, api::Compat compat);

  // Updates managedFields after a create, update or patch has made `live` (null: none) into
  // `wanted`.
  value::Value Update(const value::Value& live, const value::Value& wanted) const;
  // Applies the request's body; the result is neither defaulted nor decoded. 409 with the
  // conflicts, 400 for a body that may not be applied, 500 for one that does not fit the schema.
  api::Result<value::Value> Apply(const value::Value& live) const;

 private:
  Manager Named(std::string name, bool applies) const;
  void UpdateManagers(const value::Value& live, const value::Value& changed, std::string name,
                      Managers* managers) const;
  api::Result<value::Value> ApplyOnce(const value::Value& live, bool force,
                                      Managers* managers) const;
  FieldSet AllowedByLastApplied(const value::Value& live) const;
  value::Value WithLastApplied(value::Value object) const;

  const api::Request& request_;
  const api::ResourceInfo& kind_;
  value::Value now_;
  api::Compat compat_;
  Shape shape_;
  Updater updater_;
};

// True if one of the two has managedFields: then a write updates them.
bool IsTracked(const value::Value& live, const value::Value& wanted);

// The request's field manager; without one the user agent up to the first slash.
std::string ManagerOrUserAgent(const api::Request& request);

// 422 for a field manager that is missing (apply), too long or not printable, and for force without
// apply (API-91).
api::Status ValidateWriteOptions(const api::Request& request, api::Compat compat);
// ValidateDryRun: an error for values of dryRun that a door has found unknown.
void CheckDryRun(const api::Request& request, api::Compat compat,
                 std::vector<api::StatusCause>* errors);

// `wanted`, or `live` if they differ only in the times of managedFields: not a change (API-85).
value::Value IgnoreManagedFieldsTimes(const value::Value& live, const value::Value& wanted);

}  // namespace ksim::apiserver
