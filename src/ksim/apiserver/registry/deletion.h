// Deletion: the steps of a delete before the object is removed: preconditions, grace period,
// finalizers. All are pure functions of the object, the options and the time.
//
// Sources: apiserver pkg/registry/rest/delete.go BeforeDelete,
// pkg/registry/generic/registry/store.go (shouldOrphanDependents,
// shouldDeleteDependentsInForeground, deletionFinalizersForGarbageCollection, markAsDeleting),
// pkg/registry/core/pod/strategy.go CheckGracefulDelete.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/api/object.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/apiserver/core/profile.h"
#include "ksim/base/time.h"

namespace ksim::apiserver {

// 422 for options that contradict each other or make no sense (API-96).
api::Status ValidateDeleteOptions(const api::DeleteOptions& options);
// Its errors. `empty_policy`: a propagation policy is given, as "".
std::vector<api::StatusCause> DeleteOptionsErrors(const api::DeleteOptions& options,
                                                  bool empty_policy);

// 409 where the object is not the one that the options name (API-97).
api::Status CheckPreconditions(const api::ResourceInfo& r, const api::Object& object,
                               const api::DeleteOptions& options);

enum class Grace : std::uint8_t {
  kNone,     // no graceful deletion, or it is over
  kStarted,  // the object has just been marked, or its period shortened: to be stored
  kPending,  // it waits already and the options change nothing
};
struct BeforeDeleteResult {
  BeforeDeleteResult() = default;
  Grace grace = Grace::kNone;
  api::Object object;  // marked, with kStarted; else as it was, but for a negative grace period
};
// Checks the preconditions (409, API-97) and applies the grace period (API-98 to API-101).
// `options` gets the period that counts.
api::Result<BeforeDeleteResult> BeforeDelete(const api::ResourceInfo& r, const api::Object& stored,
                                             api::DeleteOptions& options, VirtualTime now,
                                             const Profile& profile);

// The finalizers that the propagation policy wants, if they differ from those there (API-105,
// API-106).
std::optional<std::vector<std::string>> FinalizersForDeletion(const api::ResourceInfo& r,
                                                              const api::Object& object,
                                                              const api::DeleteOptions& options);
api::Object WithFinalizers(const api::Object& object, const std::vector<std::string>& finalizers);

// Sets deletionTimestamp to now (unless it is earlier) and the grace period to 0; the first mark
// moves the generation (API-82, API-102).
api::Object MarkAsDeleting(const api::Object& object, VirtualTime now);

// Deletes of the kind answer with the object itself; others with a Status (API-29).
bool ReturnsDeletedObject(const api::ResourceInfo& r);

}  // namespace ksim::apiserver
