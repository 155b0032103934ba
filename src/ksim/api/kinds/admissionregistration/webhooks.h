// Defaults, rules, printing and patching that the two kinds of webhook configurations share.
//
// Source: pkg/apis/admissionregistration/{v1/defaults.go,validation/validation.go}; apiserver
// pkg/util/webhook/validation.go; pkg/printers/internalversion/printers.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/object.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/api/schema/shared_patch_schemas.h"
#include "ksim/base/time.h"

namespace ksim::api {

inline constexpr value::PatchField kWebhookPatchFields[] = {MergeList("matchConditions", "name")};
inline constexpr value::PatchSchema kWebhookPatch{kWebhookPatchFields};
inline constexpr value::PatchField kWebhooksPatchFields[] = {
    Nested("metadata", &kMetaPatch), MergeList("webhooks", "name", &kWebhookPatch)};
inline constexpr value::PatchSchema kWebhooksPatch{kWebhooksPatchFields};

std::vector<std::string> WebhookCells(const Object& o, VirtualTime now);

// Fill in the policies, selectors, timeout, scopes and port that a webhook leaves out.
value::Value DefaultValidatingWebhooks(const value::Value& tree, Compat compat);
value::Value DefaultMutatingWebhooks(const value::Value& tree, Compat compat);

// Refuses bad webhooks of a new configuration.
void CheckWebhooks(const value::Value& tree, FieldErrorList* errors);
// The same of an update. It need not be better than `old` in side effects, versions of
// AdmissionReview and names.
void CheckWebhooksUpdate(const value::Value& updated, const value::Value& old,
                         FieldErrorList* errors);

// validateRuleWithOperations: a rule of a webhook or of a policy.
void CheckHookRule(const value::Value& rule, const FieldPath& path, FieldErrorList* errors);

// WarningsForStaticSuffix: names that are reserved for configurations from files.
std::vector<std::string> StaticNameWarnings(const value::Value& tree, Compat compat);

}  // namespace ksim::api
