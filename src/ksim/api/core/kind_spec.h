// KindSpec: everything that the API server knows of one built-in kind, in one place. Each kind has
// a file under kinds/GROUP that defines its spec; kinds/all.cc lists them. The stages of a request
// (decoding, defaulting, preparation, validation, warnings, printing) read the spec of the kind at
// hand and know no kind by its name.
//
// A spec holds constants and plain functions only: the compiler makes it, nobody copies it, and the
// kind's number finds it.
//
// Sources: pkg/registry/<group>/<resource>/strategy.go, pkg/apis/<group>/{v1/defaults.go,
// validation/validation.go}, pkg/printers/internalversion/printers.go,
// pkg/kubeapiserver/default_storage_factory_builder.go (storage prefixes).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/kinds.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::value {
struct PatchSchema;
}  // namespace ksim::value

namespace ksim::api {

class FieldErrorList;
class Object;

// A column of the table that `kubectl get` shows.
struct KindColumn {
  std::string_view name = {};  // Name, Ready, Nominated Node; "" ends the list
  bool wide = false;           // shown only with -o wide
};
inline constexpr bool kWide = true;

// A step of a validation. A problem that two steps find is in the causes twice, and in the message
// once.
enum ValidationStep : std::uint8_t {
  kCheckNothing,     // ends the list
  kCheckMeta,        // ValidateObjectMeta
  kCheckMetaUpdate,  // ValidateObjectMetaUpdate
  kCheckObject,      // Validation::object
  kCheckNewObject,   // Validation::new_object
  kCheckChange,      // Validation::change
  kCheckStatus,      // Validation::status
};
using ValidationSteps = std::array<ValidationStep, 6>;

struct KindSpec {
  using Value = value::Value;

  struct Validation {
    using Check = void (*)(const Value& tree, FieldErrorList* errors);
    using CheckChange = void (*)(const Value& updated, const Value& old, FieldErrorList* errors);

    // The order in which the strategy's Validate, its ValidateUpdate and the status strategy's
    // ValidateUpdate look at an object.
    ValidationSteps on_create = {kCheckMeta};
    ValidationSteps on_update = {kCheckMetaUpdate};
    // ValidateUpdate where it does not begin with Validate (Profile::updates_validate_as_new);
    // empty: on_update.
    ValidationSteps on_plain_update = {};
    ValidationSteps on_status_update = {kCheckMetaUpdate};

    Check object = nullptr;      // the spec, or whatever the kind has in its place
    Check new_object = nullptr;  // what only a new object must be
    CheckChange change = nullptr;
    Check status = nullptr;
    CheckChange status_change = nullptr;    // at /status; null: change
    CheckChange approval_change = nullptr;  // at /approval, in place of the steps of an update
    Check finalized = nullptr;              // at /finalize
    // At a subresource of the kind's own, after the metadata.
    void (*subresource_change)(const Value& updated, const Value& old, std::string_view subresource,
                               FieldErrorList* errors) = nullptr;

    // The reasons why a text cannot be the name of an object; null: DNS-1123 subdomains can.
    std::vector<std::string> (*name)(std::string_view name, Compat compat) = nullptr;
    // The metadata are validated by pkg/apis/core/validation ValidateObjectMeta, which knows the
    // standard finalizers, and not by that of apimachinery.
    bool standard_finalizers = true;
  };

  // Names.
  std::string_view group = {};  // "": core
  std::string_view version = "v1";
  std::string_view kind = {};
  std::string_view resource = {};
  std::array<std::string_view, 2> short_names = {};
  std::string_view category = {};        // all, api-extensions
  std::string_view storage_prefix = {};  // "": the resource
  // The switch without which this version of the kind is not served; null: it always is.
  const bool Profile::* served = nullptr;
  // Its watch cache is filled when the server starts; else at the kind's first request. Off for the
  // kinds that nothing simulated reads, which most runs have none of.
  bool cached_from_start = true;
  // The form in which this version is stored, if that is another version's. Null: its own.
  Value (*to_stored)(const Value& tree) = nullptr;
  Value (*from_stored)(const Value& tree) = nullptr;

  // Scope, subresources and strategy: the members of ResourceInfo.
  bool namespaced = true;
  bool has_status = false;
  bool has_scale = false;
  bool has_generation = false;
  bool generation_on_annotations = false;
  bool graceful_delete = false;
  bool create_on_update = false;
  bool unconditional_update = true;
  bool watch_cached = true;
  bool generation_stays = false;  // at 1, whatever an update changes
  // The switch without which objects have no generation after all; null: they always have one.
  const bool Profile::* generation_gate = nullptr;
  // Errors name the kind of the core group: the two share an internal type.
  bool core_group_in_errors = false;

  // Go types: the structs of the kind in the notation of schema/go_types.h, and the name of its own
  // one ("": the kind's).
  std::string_view go_types = {};
  std::string_view go_struct = {};
  // The lists that merge in a strategic merge patch; null: those of the metadata alone.
  const value::PatchSchema* patch_schema = nullptr;

  // Printing. Null cells: name and age.
  KindColumn columns[12] = {{"Name"}, {"Age"}};
  std::vector<std::string> (*cells)(const Object& object, VirtualTime now) = nullptr;

  // Defaulting: see strategy/defaulting.h.
  Value (*defaults)(const Value& tree, Compat compat) = nullptr;

  // Preparation: see strategy/strategy.h. Null: as it comes.
  // The status that a new object gets; null: Go's zero value. Only for kinds with a /status.
  Value (*initial_status)(const Value& tree, Compat compat) = nullptr;
  // After the status and the generation are set.
  Value (*prepare_create)(Value tree, Compat compat) = nullptr;
  // Writes down who creates the object. Null: nobody does.
  Value (*record_creator)(Value tree, std::string_view user,
                          const std::vector<std::string>& groups) = nullptr;
  // At the main endpoint, before the generations are compared.
  Value (*prepare_update)(const Value& old, Value updated, Compat compat) = nullptr;
  // At /approval. Null: as at the main endpoint.
  Value (*prepare_approval)(const Value& old, Value updated, Compat compat) = nullptr;
  // At a subresource of the kind's own (a pod's ephemeralcontainers and resize), after the status
  // is put back and before the generations are compared: what may change there.
  Value (*prepare_subresource)(const Value& old, Value updated, std::string_view subresource,
                               Compat compat) = nullptr;
  // At /status, after the spec is put back and the counters are filled in.
  Value (*prepare_status_update)(const Value& old, Value updated, Compat compat) = nullptr;

  Validation validation = {};

  // Warnings of a create, and of an update at the main endpoint and at /status. Null: none.
  std::vector<std::string> (*warnings_on_create)(const Value& tree, Compat compat) = nullptr;
  std::vector<std::string> (*warnings_on_update)(const Value& updated, const Value& old,
                                                 Compat compat) = nullptr;
  std::vector<std::string> (*warnings_on_status_update)(const Value& updated, const Value& old,
                                                        Compat compat) = nullptr;
};

// The built-in kinds by number, in the order in which kubectl prefers them.
std::span<const KindSpec* const> KindSpecs();

// The spec of every kind that is not built in: custom resources, and the bodies of subresources.
extern const KindSpec kGenericKind;

// The spec of the kind, kGenericKind for a custom one.
const KindSpec& SpecOf(const ResourceInfo& kind);

}  // namespace ksim::api
