#include "ksim/api/kinds/resource/device_claim.h"

#include <fmt/format.h>

#include <functional>
#include <utility>
#include <vector>

#include "ksim/api/core/tree_edit.h"
#include "ksim/api/kinds/resource/device_rules.h"
#include "ksim/api/rules/name_rules.h"

namespace ksim::api {

using value::Atom;
using value::Value;

namespace {

constexpr std::size_t kMostSubRequests = 8;  // FirstAvailableDeviceRequestMaxSize

struct ClaimAtoms {
  Atom devices{"devices"}, requests{"requests"}, exactly{"exactly"}, first{"firstAvailable"};
  Atom mode{"allocationMode"}, count{"count"}, tolerations{"tolerations"}, op{"operator"};
};

const ClaimAtoms& Names() {
  static const ClaimAtoms names;
  return names;
}

// SetDefaults_ExactDeviceRequest, SetDefaults_DeviceSubRequest
Value DefaultRequest(const Value& given) {
  const ClaimAtoms& n = Names();
  Value request = WithNonEmpty(given, n.mode, Value::Of("ExactCount"));
  if (request.Get(n.mode).AsString() == "ExactCount")
    request = WithNonEmpty(std::move(request), n.count, Value::Of(1));
  return EditField(std::move(request), n.tolerations, [&](const Value& tolerations) {
    return EditItems(tolerations, [&](const Value& toleration) {
      return WithNonEmpty(toleration, n.op, Value::Of("Equal"));
    });
  });
}

std::string_view NameOf(const Value& item) { return item.Get("name").AsString(); }

// validateDeviceAllocationMode
void CheckMode(const Value& request, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view mode = request.Get(Names().mode).AsString();
  const std::int64_t count = request.Get(Names().count).AsInt();
  const FieldPath at = path.Child("count");
  if (mode == "All") {
    if (count != 0)
      errors->Invalid(at, count, "must not be specified when allocationMode is 'All'");
  } else if (mode == "ExactCount") {
    if (count <= 0) errors->Invalid(at, count, "must be greater than zero");
  } else {
    errors->NotSupported(path.Child("allocationMode"), mode, {"All", "ExactCount"});
  }
}

// validateExactDeviceRequest, and that of a subrequest but for its name.
void CheckExact(const Value& request, const FieldPath& path, FieldErrorList* errors) {
  const std::string_view name = request.Get("deviceClassName").AsString();
  const FieldPath at = path.Child("deviceClassName");
  if (name.empty()) {
    errors->Required(at);
  } else {
    errors->InvalidAll(at, name, Dns1123Subdomain(name));
  }
  CheckDeviceSelectors(request.Get("selectors"), path.Child("selectors"), errors);
  CheckMode(request, path, errors);
  const Value& tolerations = request.Get(Names().tolerations);
  const FieldPath list = path.Child("tolerations");
  for (std::size_t i = 0; i < tolerations.size(); ++i)
    CheckDeviceToleration(tolerations.at(i), list.Index(i), errors);
}

void CheckSubRequest(const Value& request, const FieldPath& path, FieldErrorList* errors) {
  CheckDeviceLabel(NameOf(request), path.Child("name"), errors);
  CheckExact(request, path, errors);
}

// validateDeviceRequest
void CheckRequest(const Value& request, const FieldPath& path, FieldErrorList* errors) {
  CheckDeviceLabel(NameOf(request), path.Child("name"), errors);
  const Value& exactly = request.Get(Names().exactly);
  const Value& first = request.Get(Names().first);
  constexpr std::string_view kOne = "exactly one of `exactly` or `firstAvailable` is required";
  if (exactly.is_null() && first.empty()) {
    errors->Required(path, kOne);
  } else if (!exactly.is_null() && !first.empty()) {
    errors->Invalid(path, Value(), GoShape::kOther,
                    fmt::format("{}, but multiple fields are set", kOne));
  } else if (exactly.is_null()) {
    CheckSet(first, kMostSubRequests, path.Child("firstAvailable"), errors, NameOf,
             CheckSubRequest);
  } else {
    CheckExact(exactly, path.Child("exactly"), errors);
  }
}

void CheckReferences(const Value& requests, const RequestNames& names, const FieldPath& path,
                     FieldErrorList* errors) {
  CheckSet(
      requests, kMostDeviceItems, path, errors, [](const Value& name) { return name.AsString(); },
      [&](const Value& name, const FieldPath& at, FieldErrorList* list) {
        CheckRequestReference(name.AsString(), names, at, list);
      });
}

// validateDeviceConstraint
void CheckConstraint(const Value& constraint, const RequestNames& names, const FieldPath& path,
                     FieldErrorList* errors) {
  CheckReferences(constraint.Get("requests"), names, path.Child("requests"), errors);
  for (const char* field : {"matchAttribute", "distinctAttribute"}) {
    const Value& attribute = constraint.Get(field);
    if (attribute.is_null()) continue;
    return CheckAttributeName(attribute.AsString(), true, path.Child(field), errors);
  }
  // The text is upstream's, whatever is set.
  errors->Required(path,
                   "exactly one of \"matchAttribute\" or \"distinctAttribute\" is required, but "
                   "multiple fields are set");
}

}  // namespace

RequestNames::RequestNames(const Value& claim_spec) {
  for (const Value& request : claim_spec.Get(Names().devices).Get(Names().requests).items()) {
    std::set<std::string>& subs = names_[std::string(NameOf(request))];
    for (const Value& sub : request.Get(Names().first).items()) subs.emplace(NameOf(sub));
  }
}

bool RequestNames::Has(std::string_view name) const {
  const std::vector<std::string_view> parts = NameParts(name);
  const auto found = names_.find(parts[0]);
  if (parts.size() > 2 || found == names_.end()) return false;
  return parts.size() == 1 || found->second.contains(std::string(parts[1]));
}

void CheckRequestReference(std::string_view name, const RequestNames& names, const FieldPath& path,
                           FieldErrorList* errors) {
  constexpr std::string_view kNone =
      "must be the name of a request in the claim or the name of a request and a subrequest "
      "separated by '/'";
  const std::vector<std::string_view> parts = NameParts(name);
  if (parts.size() > 2) return errors->Invalid(path, name, kNone);
  for (const std::string_view part : parts) CheckDeviceLabel(part, path, errors);
  if (!names.Has(name)) errors->Invalid(path, name, kNone);
}

Value DefaultClaimSpec(const Value& spec) {
  return EditField(spec, Names().devices, [](const Value& devices) {
    return EditField(devices, Names().requests, [](const Value& requests) {
      return EditItems(requests, [](const Value& request) {
        return EditField(EditField(request, Names().exactly, DefaultRequest), Names().first,
                         [](const Value& subs) { return EditItems(subs, DefaultRequest); });
      });
    });
  });
}

void CheckClaimSpec(const Value& spec, const FieldPath& path, FieldErrorList* errors) {
  const Value& devices = spec.Get(Names().devices);
  const FieldPath at = path.Child("devices");
  const RequestNames names(spec);
  CheckSet(devices.Get(Names().requests), kMostDeviceItems, at.Child("requests"), errors, NameOf,
           CheckRequest);
  CheckList(devices.Get("constraints"), kMostDeviceItems, at.Child("constraints"), errors,
            [&](const Value& constraint, const FieldPath& item, FieldErrorList* list) {
              CheckConstraint(constraint, names, item, list);
            });
  CheckList(devices.Get("config"), kMostDeviceItems, at.Child("config"), errors,
            [&](const Value& config, const FieldPath& item, FieldErrorList* list) {
              CheckReferences(config.Get("requests"), names, item.Child("requests"), list);
              CheckDeviceConfiguration(config, item, list);
            });
}

}  // namespace ksim::api
