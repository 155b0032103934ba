// Rules that the kinds of resource.k8s.io share: names of drivers, pools and devices, selectors,
// configurations of drivers, taints and tolerations, lists with a greatest size. What a selector
// says in CEL is not looked at.
//
// Source: pkg/apis/resource/validation/validation.go.
#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

// DeviceRequestsMaxSize, DeviceSelectorsMaxSize, DeviceConstraintsMaxSize, DeviceConfigMaxSize.
inline constexpr std::size_t kMostDeviceItems = 32;

// validateSlice: nothing is looked at in a list that is too long. `check`: the rules of an item.
template <class Check>
void CheckList(const value::Value& list, std::size_t most, const FieldPath& path,
               FieldErrorList* errors, const Check& check) {
  if (list.size() > most) return errors->TooMany(path, list.size(), most);
  for (std::size_t i = 0; i < list.size(); ++i) check(list.at(i), path.Index(i), errors);
}

// validateSet: the same of a list whose items have different keys. `key`: the text of an item.
template <class Key, class Check>
void CheckSet(const value::Value& list, std::size_t most, const FieldPath& path,
              FieldErrorList* errors, const Key& key, const Check& check) {
  CheckList(list, most, path, errors, check);
  if (list.size() > most) return;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string own(key(list.at(i)));
    if (!seen.insert(own).second) errors->Duplicate(path.Index(i), own);
  }
}

// The parts of a name between slashes.
std::vector<std::string_view> NameParts(std::string_view name);

// ValidateCSIDriverName, which driver names follow.
void CheckDriverName(std::string_view name, const FieldPath& path, FieldErrorList* errors);
void CheckPoolName(std::string_view name, const FieldPath& path, FieldErrorList* errors);
// Names of devices, requests and counters.
void CheckDeviceLabel(std::string_view name, const FieldPath& path, FieldErrorList* errors);
// validateQualifiedName: DOMAIN/ID or ID. `whole`: with a domain (validateFullyQualifiedName).
void CheckAttributeName(std::string_view name, bool whole, const FieldPath& path,
                        FieldErrorList* errors);
// validateUID: a UUID in small letters.
void CheckShareId(std::string_view uid, const FieldPath& path, FieldErrorList* errors);
void CheckDeviceSelectors(const value::Value& selectors, const FieldPath& path,
                          FieldErrorList* errors);
// validateDeviceConfiguration: what a driver alone understands, but a JSON object.
void CheckDeviceConfiguration(const value::Value& config, const FieldPath& path,
                              FieldErrorList* errors);
// validateRawExtension.
void CheckJsonObject(const value::Value& object, const FieldPath& path, FieldErrorList* errors);
void CheckDeviceTaint(const value::Value& taint, const FieldPath& path, FieldErrorList* errors);
void CheckDeviceToleration(const value::Value& toleration, const FieldPath& path,
                           FieldErrorList* errors);
// validateDeviceBindingParameters: both lists of conditions of a device.
void CheckBindingConditions(const value::Value& device, const FieldPath& path,
                            FieldErrorList* errors);

}  // namespace ksim::api
