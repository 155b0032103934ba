// The kind ResourceSlice of resource.k8s.io/v1: the devices that a driver offers.
//
// Sources: pkg/registry/resource/resourceslice/strategy.go; pkg/apis/resource/validation/
// validation.go ValidateResourceSlice; pkg/printers/internalversion/printers.go printResourceSlice.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "ksim/api/core/ascii_lower.h"
#include "ksim/api/core/fields.h"
#include "ksim/api/core/go_text.h"
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/core/profile.h"
#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/resource/device_rules.h"
#include "ksim/api/kinds/resource/device_texts.h"
#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/meta_validation.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/api/rules/pod/pod_affinity.h"
#include "ksim/value/edit.h"
#include "ksim/value/value.h"

namespace ksim::api {

using value::Value;

namespace {

constexpr std::string_view kResourceSliceTypes = R"(
CapacityRequestPolicy: default=*Quantity validRange=*CapacityRequestPolicyRange
   validValues=[]Quantity
CapacityRequestPolicyRange: max=*Quantity min=*Quantity step=*Quantity
Counter: value!=Quantity
CounterSet: counters={}Counter name!=string
Device: allNodes=*bool allowMultipleAllocations=*bool attributes={}DeviceAttribute
   bindingConditions=[]string bindingFailureConditions=[]string bindsToNode=*bool
   capacity={}DeviceCapacity consumesCounters=[]DeviceCounterConsumption name!=string
   nodeAllocatableResourceMappings={}NodeAllocatableResourceMapping nodeName=*string
   nodeSelector=*NodeSelector taints=[]DeviceTaint
DeviceAttribute: bool=*bool bools=[]bool int=*int64 ints=[]int64 string=*string strings=[]string
   version=*string versions=[]string
DeviceCapacity: requestPolicy=*CapacityRequestPolicy value!=Quantity
DeviceCounterConsumption: counterSet!=string counters={}Counter
DeviceTaint: effect!=s:DeviceTaintEffect key!=string timeAdded=*Time value=string
NodeAllocatableResourceMapping: allocationMultiplier=*Quantity capacityKey=*s:QualifiedName
ResourcePool: generation!=int64 name!=string resourceSliceCount!=int64
ResourceSlice: apiVersion=string kind=string metadata=ObjectMeta spec!=ResourceSliceSpec
ResourceSliceSpec: allNodes=*bool devices=[]Device driver!=string nodeName=*string
   nodeSelector=*NodeSelector perDeviceNodeSelection=*bool pool!=ResourcePool
   sharedCounters=[]CounterSet
)";

constexpr std::size_t kMostDevices = 128;
constexpr std::size_t kMostAdvancedDevices = 64;  // with taints or counters
constexpr std::size_t kMostCounterSets = 8;
constexpr std::size_t kMostCounters = 32;
constexpr std::size_t kMostConsumptions = 2;
constexpr std::size_t kMostAttributes = 32;
constexpr std::size_t kMostTaints = 16;
constexpr std::int64_t kLongestAttribute = 64;

// dropDisabledFields: gates DRANodeAllocatableResources and DRAListTypeAttributes are off.
Value DropGated(Value tree) {
  const auto strip = [](const Value& attribute) {
    Value stripped = attribute;
    for (const char* list : {"bools", "ints", "strings", "versions"})
      if (stripped.Has(list)) stripped = stripped.Erase(list);
    return stripped;
  };
  static const value::Atom kDevices("devices"), kAttributes("attributes");
  return EditField(std::move(tree), Fields().spec, [&](const Value& spec) {
    return EditField(spec, kDevices, [&](const Value& devices) {
      return EditItems(devices, [&](const Value& given) {
        constexpr std::string_view kMappings = "nodeAllocatableResourceMappings";
        const Value device = given.Has(kMappings) ? given.Erase(kMappings) : given;
        return EditField(device, kAttributes, [&](const Value& attributes) {
          Value edited = attributes;
          for (const auto& [name, attribute] : attributes.members()) {
            Value stripped = strip(attribute);
            if (!stripped.SameTree(attribute))
              edited = std::move(edited).Set(name, std::move(stripped));
          }
          return edited;
        });
      });
    });
  });
}

// A semantic version: numbers, then words after `-` and `+` (semverRe).
bool IsSemanticVersion(std::string_view text) {
  const auto digits_only = [](std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
  };
  const auto number = [&](std::string_view word) {
    return digits_only(word) && (word.size() == 1 || word.front() != '0');
  };
  const auto words = [&](std::string_view list, bool numbers_count) {
    for (;;) {
      const std::size_t dot = list.find('.');
      const std::string_view word = list.substr(0, dot);
      if (word.empty()) return false;
      for (const char c : word)
        if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '-') return false;
      if (numbers_count && digits_only(word) && !number(word)) return false;
      if (dot == list.npos) return true;
      list.remove_prefix(dot + 1);
    }
  };
  const std::size_t plus = text.find('+');
  if (plus != text.npos && !words(text.substr(plus + 1), false)) return false;
  text = text.substr(0, plus);
  const std::size_t dash = text.find('-');
  if (dash != text.npos && !words(text.substr(dash + 1), true)) return false;
  text = text.substr(0, dash);
  const std::size_t first = text.find('.');
  const std::size_t second = first == text.npos ? text.npos : text.find('.', first + 1);
  return second != text.npos && number(text.substr(0, first)) &&
         number(text.substr(first + 1, second - first - 1)) && number(text.substr(second + 1));
}

// validateDeviceAttribute
void CheckAttribute(const Value& attribute, const FieldPath& path, FieldErrorList* errors) {
  std::size_t set = 0;
  for (const char* field : {"bool", "int", "string", "version"})
    if (!attribute.Get(field).is_null()) ++set;
  for (const char* field : {"string", "version"}) {
    const Value& text = attribute.Get(field);
    if (text.is_null()) continue;
    if (std::string_view(field) == "version" && !IsSemanticVersion(text.AsString()))
      errors->Invalid(path.Child(field), text.AsString(),
                      "must be a string compatible with semver.org spec 2.0.0");
    if (text.AsString().size() > kLongestAttribute)
      errors->TooLong(path.Child(field), kLongestAttribute);
  }
  if (set == 0) errors->Invalid(path, "", "exactly one value must be specified");
  if (set > 1)
    RefuseDevicePart(attribute, "Attribute", "exactly one value must be specified", path, errors);
}

// validateSingleAllocatableDeviceCapacity. Policies of shared capacities are not looked at.
void CheckCapacity(const Value& capacity, bool shared, const FieldPath& path,
                   FieldErrorList* errors) {
  if (!shared && !capacity.Get("requestPolicy").is_null())
    errors->Forbidden(path.Child("requestPolicy"), "allowMultipleAllocations must be true");
}

// Counters of a set, or those that a device consumes.
void CheckCounters(const Value& counters, const FieldPath& path, FieldErrorList* errors) {
  if (counters.empty()) return errors->Required(path);
  if (counters.size() > kMostCounters) return errors->TooMany(path, counters.size(), kMostCounters);
  for (const auto& [name, counter] : counters.members())
    CheckDeviceLabel(name.text(), path, errors);
}

template <const char* kName>
void CheckCounterSet(const Value& set, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view name = set.Get(kName).AsString();
  if (name.empty()) {
    errors->Required(path.Child(kName));
  } else {
    CheckDeviceLabel(name, path.Child(kName), errors);
  }
  CheckCounters(set.Get("counters"), path.Child("counters"), errors);
}
constexpr char kSetName[] = "name";
constexpr char kConsumedSet[] = "counterSet";

void CheckNodeName(const Value& name, std::string_view empty, const FieldPath& path,
                   FieldErrorList* errors) {
  if (name.AsString().empty()) {
    errors->Invalid(path, "", empty);
  } else {
    errors->InvalidAll(path, name.AsString(), Dns1123Subdomain(name.AsString()));
  }
}

// The node, selector or flag by which a slice or a device says where it is. Exactly one may be set;
// `flags` are those that are true or absent.
void CheckPlace(const Value& where, std::initializer_list<const char*> flags,
                std::string_view empty_name, std::string_view one_of, bool whole_slice,
                const FieldPath& path, FieldErrorList* errors) {
  std::vector<std::string> set;
  const Value& name = where.Get("nodeName");
  if (!name.is_null()) {
    if (!name.AsString().empty()) set.emplace_back("`nodeName`");
    CheckNodeName(name, empty_name, path.Child("nodeName"), errors);
  }
  const Value& selector = where.Get("nodeSelector");
  if (!selector.is_null()) {
    const FieldPath at = path.Child("nodeSelector");
    set.emplace_back("`nodeSelector`");
    ValidateNodeSelector(selector, at, errors);
    const Value& terms = selector.Get("nodeSelectorTerms");
    if (whole_slice && terms.size() != 1)
      RefuseDevicePart(terms, "[]Term", "must have exactly one node selector term",
                       at.Child("nodeSelectorTerms"), errors);
  }
  for (const char* flag : flags) {
    const Value& value = where.Get(flag);
    if (value.is_null()) continue;
    if (value.AsBool()) {
      set.push_back(fmt::format("`{}`", flag));
    } else {
      errors->Invalid(path.Child(flag), value, GoShape::kOther,
                      "must be either unset or set to true");
    }
  }
  if (set.empty()) errors->Required(path, one_of);
  if (set.size() > 1) {
    const bool slice = whole_slice;
    errors->Invalid(
        path, fmt::format("{{{}}}", fmt::join(set, ", ")),
        slice ? fmt::format("{}, but multiple fields are set", one_of) : std::string(one_of));
  }
}

// validateDevice
void CheckDevice(const Value& device, bool per_device, const FieldPath& path,
                 FieldErrorList* errors) {
  CheckDeviceLabel(device.Get("name").AsString(), path.Child("name"), errors);
  const Value& attributes = device.Get("attributes");
  const Value& capacity = device.Get("capacity");
  const std::size_t sum = attributes.size() + capacity.size();
  if (sum > kMostAttributes)
    errors->Invalid(path, static_cast<std::int64_t>(sum),
                    "the total number of attributes and capacities must not exceed 32");
  const FieldPath attributes_path = path.Child("attributes");
  for (const auto& [name, attribute] : attributes.members()) {
    CheckAttributeName(name.text(), false, attributes_path, errors);
    CheckAttribute(attribute, attributes_path.Key(name.text()), errors);
  }
  const FieldPath capacity_path = path.Child("capacity");
  for (const auto& [name, amount] : capacity.members()) {
    CheckAttributeName(name.text(), false, capacity_path, errors);
    CheckCapacity(amount, device.Get("allowMultipleAllocations").AsBool(),
                  capacity_path.Key(name.text()), errors);
  }
  CheckList(device.Get("taints"), kMostTaints, path.Child("taints"), errors, CheckDeviceTaint);
  CheckSet(
      device.Get("consumesCounters"), kMostConsumptions, path.Child("consumesCounters"), errors,
      [](const Value& consumed) { return consumed.Get(kConsumedSet).AsString(); },
      CheckCounterSet<kConsumedSet>);
  if (per_device) {
    CheckPlace(device, {"allNodes"}, "must not be empty",
               "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when "
               "`perDeviceNodeSelection` is set to true in the ResourceSlice spec",
               false, path, errors);
  } else if (!device.Get("nodeName").is_null() || !device.Get("nodeSelector").is_null() ||
             !device.Get("allNodes").is_null()) {
    errors->Invalid(path, Value(), GoShape::kOther,
                    "`nodeName`, `nodeSelector` and `allNodes` can only be set if "
                    "`perDeviceNodeSelection` is set to true in the ResourceSlice spec");
  }
  CheckBindingConditions(device, path, errors);
}

// validateResourcePool
void CheckPool(const Value& pool, const FieldPath& path, FieldErrorList* errors) {
  CheckPoolName(pool.Get("name").AsString(), path.Child("name"), errors);
  const std::int64_t slices = pool.Get("resourceSliceCount").AsInt();
  if (slices <= 0)
    errors->Invalid(path.Child("resourceSliceCount"), slices, "must be greater than zero");
  const std::int64_t generation = pool.Get(Fields().generation).AsInt();
  if (generation < 0)
    errors->Invalid(path.Child("generation"), generation, "must be greater than or equal to zero");
}

// validateResourceSliceSpec. `old`: the spec before an update; null for a new object.
void CheckSlice(const Value& spec, const Value& old, FieldErrorList* errors) {
  const FieldPath path("spec");
  const FieldPath pool = path.Child("pool");
  CheckDriverName(spec.Get("driver").AsString(), path.Child("driver"), errors);
  CheckPool(spec.Get("pool"), pool, errors);
  if (!old.is_null()) {
    ValidateImmutable(spec.Get("pool").Get("name"), old.Get("pool").Get("name"), GoShape::kOther,
                      pool.Child("name"), errors);
    for (const char* field : {"driver", "nodeName"})
      ValidateImmutable(spec.Get(field), old.Get(field), GoShape::kOther, path.Child(field),
                        errors);
  }
  CheckPlace(spec, {"allNodes", "perDeviceNodeSelection"},
             "must be either unset or set to a non-empty string",
             "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
             "required",
             true, path, errors);
  const Value& devices = spec.Get("devices");
  const Value& counters = spec.Get("sharedCounters");
  if (!counters.is_null() && !devices.is_null())
    errors->Invalid(path, "", "only one of `sharedCounters` or `devices` is allowed");
  bool advanced = false;
  for (const Value& device : devices.items())
    advanced |= !device.Get("taints").empty() || !device.Get("consumesCounters").empty();
  const bool per_device = spec.Get("perDeviceNodeSelection").AsBool();
  CheckSet(
      devices, advanced ? kMostAdvancedDevices : kMostDevices, path.Child("devices"), errors,
      [](const Value& device) { return device.Get("name").AsString(); },
      [&](const Value& device, const FieldPath& at, FieldErrorList* list) {
        CheckDevice(device, per_device, at, list);
      });
  CheckSet(
      counters, kMostCounterSets, path.Child("sharedCounters"), errors,
      [](const Value& set) { return set.Get(kSetName).AsString(); }, CheckCounterSet<kSetName>);
}

void ValidateSlice(const Value& tree, FieldErrorList* errors) {
  CheckSlice(tree.Get(Fields().spec), Value(), errors);
}

void ValidateSliceUpdate(const Value& updated, const Value& old, FieldErrorList* errors) {
  CheckSlice(updated.Get(Fields().spec), old.Get(Fields().spec), errors);
}

std::vector<std::string> SliceCells(const Object& o, VirtualTime now) {
  const Value& spec = o.spec();
  return {cells::Name(o), cells::Text(spec.Get("nodeName")), cells::Text(spec.Get("driver")),
          cells::Text(spec.Get("pool").Get("name")), cells::Age(o, now)};
}

std::vector<std::string> SliceWarnings(const Value& tree, Compat) {
  const std::string_view driver = tree.Get(Fields().spec).Get("driver").AsString();
  if (AsciiLower(driver) == driver) return {};
  return {
      fmt::format("spec.driver: driver names should be lowercase; {} contains uppercase characters",
                  GoQuote(driver))};
}

}  // namespace

extern const KindSpec kResourceSliceKind = {
    .group = "resource.k8s.io",
    .kind = "ResourceSlice",
    .resource = "resourceslices",
    .served = &Profile::serves_device_claims,
    .cached_from_start = false,
    .namespaced = false,
    .has_generation = true,
    .go_types = kResourceSliceTypes,
    .columns = {{"Name"}, {"Node"}, {"Driver"}, {"Pool"}, {"Age"}},
    .cells = SliceCells,
    .prepare_create = [](Value tree, Compat) { return DropGated(std::move(tree)); },
    .prepare_update = [](const Value&, Value updated,
                         Compat) { return DropGated(std::move(updated)); },
    .validation =
        {
            .on_create = {kCheckMeta, kCheckObject},
            .on_update = {kCheckMetaUpdate, kCheckChange},
            .object = ValidateSlice,
            .change = ValidateSliceUpdate,
        },
    .warnings_on_create = SliceWarnings,
    .warnings_on_update = [](const Value& updated, const Value&,
                             Compat compat) { return SliceWarnings(updated, compat); },
};

}  // namespace ksim::api
