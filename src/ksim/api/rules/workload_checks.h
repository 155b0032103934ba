// Rules that several workloads share.
//
// Sources: pkg/apis/apps/validation/validation.go, pkg/apis/core/validation/validation.go.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/rules/field_errors.h"
#include "ksim/value/selector.h"

namespace ksim::api {

bool IsEmptySelector(const value::Value& selector);

// spec.template.metadata.labels must be what the selector selects.
void CheckMatch(const value::LabelSelector& selector, const value::Value& spec,
                const FieldPath& path, FieldErrorList* errors);
// The workload's pods must restart always and have no deadline.
void CheckAlways(std::string_view kind, const value::Value& spec, const FieldPath& path,
                 FieldErrorList* errors);
// ValidatePodTemplateSpecForReplicaSet, ValidatePodTemplateSpecForRC.
void CheckTemplate(std::string_view kind, const value::LabelSelector& selector,
                   const value::Value& spec, const FieldPath& path, FieldErrorList* errors);

// "25%" as 25, 3 as 3; -1 for a text that is no percentage.
std::int64_t PercentOrNumber(const value::Value& v);
void CheckIntOrPercent(const value::Value& v, const FieldPath& path, FieldErrorList* errors);
void CheckAtMost100Percent(const value::Value& v, const FieldPath& path, FieldErrorList* errors);

void NonNegativeFields(const value::Value& v, std::initializer_list<value::Atom> fields,
                       const FieldPath& path, FieldErrorList* errors);
// A counter of the status that another one bounds.
void AtMost(const value::Value& status, value::Atom field, value::Atom limit, std::string_view text,
            FieldErrorList* errors);

// An update strategy as a bad value: %#v (with some address), from 1.36 on as JSON.
struct StrategyNames {
  std::string_view strategy;
  std::string_view rolling;
  std::vector<std::pair<std::string_view, std::string_view>> fields;  // Go's name, ours
};
std::string StrategyText(const StrategyNames& names, const value::Value& strategy, Compat compat);

}  // namespace ksim::api
