// Variants: places where an actor can be told to bring back a real bug of Kubernetes or etcd, or to
// be the repaired form of one. `asCompat`, the default, is what upstream did at the run's version,
// right or wrong; docs/fidelity.md lists which that is.
//
// One table names them all; the layers get the resolved struct and reach
// KSIM_PROBE("variant/NAME") where a value other than the version's repaired one takes part.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/compat.h"

namespace ksim::api {

// The value of each variant in one run. Enumerators are in the order of VariantInfo::values: the
// repaired form is 0.
struct Variants {
  Variants() = default;
  enum class TooLargeRV : std::uint8_t { kRelistConsistent, kRetrySame };
  enum class FifoReplace : std::uint8_t { kQueueToo, kIndexerOnly };
  enum class FifoEntries : std::uint8_t { kAtomic, kOneByOne };
  enum class OldestRV : std::uint8_t { kListRVPlus1, kListRV };
  enum class Reinit : std::uint8_t { kEndWatchers, kKeepWatchers };
  enum class DeleteRV : std::uint8_t { kDeletionRV, kObjectRV };
  enum class InitialList : std::uint8_t { kConsistent, kCache0 };
  enum class RsExpectations : std::uint8_t { kOwnWriteRV, kExpire, kNever };
  enum class PodUID : std::uint8_t { kCheck, kIgnore };
  enum class GhostNode : std::uint8_t { kDrop, kKeep };
  enum class CompactOnDelete : std::uint8_t { kKeep, kDrop };
  enum class OwnerScope : std::uint8_t { kRestMapping, kChildNamespace };
  enum class AbsentOwners : std::uint8_t { kCoordinates, kUid };
  enum class FullDisruption : std::uint8_t { kOn, kOff };
  enum class ProbeClock : std::uint8_t { kFirstSeen, kHeartbeat };
  enum class DeletePrecondition : std::uint8_t { kUid, kNone };
  enum class LostPrevious : std::uint8_t { kError, kDrop };
  enum class InitialEventsRV : std::uint8_t { kBookmark, kLastEvent };
  enum class FinalizerUIDs : std::uint8_t { kOn, kOff };
  enum class RevisionSync : std::uint8_t { kWait, kSkip };
  enum class BrokenRollback : std::uint8_t { kReplace, kWait };
  enum class HashCollision : std::uint8_t { kCount, kFail };
  enum class CreateTimeout : std::uint8_t { kRequeue, kSwallow };
  enum class ReplaceDelta : std::uint8_t { kReplaced, kSync };
  enum class MoveRequest : std::uint8_t { kCycle, kIgnore };
  enum class NoopWrite : std::uint8_t { kDrop, kKeep };

  TooLargeRV reflector_too_large_rv = TooLargeRV::kRelistConsistent;
  FifoReplace deltafifo_replace = FifoReplace::kQueueToo;
  FifoEntries realfifo_replace = FifoEntries::kAtomic;
  OldestRV watchcache_oldest = OldestRV::kListRVPlus1;
  Reinit cacher_reinit = Reinit::kEndWatchers;
  DeleteRV event_delete_rv = DeleteRV::kDeletionRV;
  InitialList kubelet_initial_list = InitialList::kConsistent;
  RsExpectations rs_expectations = RsExpectations::kOwnWriteRV;
  PodUID scheduler_pod_uid = PodUID::kCheck;
  GhostNode scheduler_ghost_node = GhostNode::kDrop;
  CompactOnDelete store_compact_on_delete = CompactOnDelete::kKeep;
  OwnerScope gc_scope = OwnerScope::kRestMapping;
  AbsentOwners gc_absent_owners = AbsentOwners::kCoordinates;
  FullDisruption nodelifecycle_full_disruption = FullDisruption::kOn;
  ProbeClock nodelifecycle_probe_clock = ProbeClock::kFirstSeen;
  DeletePrecondition kubelet_delete_precondition = DeletePrecondition::kUid;
  LostPrevious storage_lost_previous = LostPrevious::kError;
  InitialEventsRV reflector_initial_events_rv = InitialEventsRV::kBookmark;
  FinalizerUIDs job_finalizer_uids = FinalizerUIDs::kOn;
  RevisionSync sts_revision_sync = RevisionSync::kWait;
  BrokenRollback sts_broken_rollback = BrokenRollback::kReplace;
  HashCollision deployment_hash_collision = HashCollision::kCount;
  CreateTimeout rs_create_timeout = CreateTimeout::kRequeue;
  ReplaceDelta deltafifo_replace_delta = ReplaceDelta::kReplaced;
  MoveRequest scheduler_move_request = MoveRequest::kCycle;
  NoopWrite endpoint_noop_write = NoopWrite::kDrop;
};

struct VariantInfo {
  std::string_view name;                 // reflector.tooLargeRV
  std::vector<std::string_view> values;  // the repaired one first
  std::string_view text;                 // one line: what the buggy value does
  std::string_view museum;               // B2: its number in docs/museum.md
  std::string_view upstream;             // issues and changes
  // By version: the value upstream had; empty where the variant does not exist.
  std::string_view as_compat[3];
  bool available = false;  // false: "not in this version" of ksim
  void (*set)(Variants& variants, int value) = nullptr;
  int (*get)(const Variants& variants) = nullptr;

  std::string_view AsCompat(Compat c) const { return as_compat[static_cast<int>(c)]; }
  bool ExistsIn(Compat c) const { return !AsCompat(c).empty(); }
  std::string_view fixed() const { return values.front(); }
};

const std::vector<VariantInfo>& AllVariants();                  // in order of name
const VariantInfo* FindVariant(std::string_view name);          // null: unknown
std::vector<std::string_view> VariantsIn(Compat c);             // names, those that exist there
std::vector<std::string_view> CompatsOf(const VariantInfo& v);  // "1.25", ...

// The values that upstream had at that version.
Variants DefaultVariants(Compat c);

// name -> value, as a scenario's `variants` has it: `all` (asCompat, fixed) and single names, which
// win over it. A pair that is no valid choice is a KSIM_CHECK: check with CheckVariant first.
using VariantChoice = std::vector<std::pair<std::string, std::string>>;
Variants ResolveVariants(Compat c, const VariantChoice& choice);

// The reason why a single choice is not possible; nullopt if it is.
struct VariantProblem {
  VariantProblem() = default;
  bool in_value = false;  // the value is bad, else the name
  std::string message, hint;
};
std::optional<VariantProblem> CheckVariant(Compat c, std::string_view name, std::string_view value);

}  // namespace ksim::api
