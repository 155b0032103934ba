// Validation and printing that Roles, ClusterRoles and their bindings share.
//
// Sources: pkg/apis/rbac/{validation,v1/defaults.go}, pkg/printers/internalversion/printers.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/rules/name_rules.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Checks the rules of a Role or ClusterRole.
void ValidateRole(const value::Value& tree, FieldErrorList* errors);

// Gives the role of a RoleBinding or ClusterRoleBinding, and its users and groups, their API group.
value::Value DefaultBinding(const value::Value& tree, Compat compat);

// Checks the role and the subjects of a RoleBinding or ClusterRoleBinding.
void ValidateBinding(const value::Value& tree, FieldErrorList* errors);

// The role of a binding stays.
void ValidateBindingChange(const value::Value& updated, const value::Value& old,
                           FieldErrorList* errors);

// The reasons why a text cannot be the name of such an object: any text that fits into a path can.
std::vector<std::string> RbacNameProblems(std::string_view name, Compat compat);

// The row of a RoleBinding or ClusterRoleBinding.
std::vector<std::string> BindingCells(const Object& o, VirtualTime now);

}  // namespace ksim::api
