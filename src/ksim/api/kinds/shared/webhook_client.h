// Rules of a webhook's clientConfig, for webhooks of admission and of conversion.
//
// Source: apiserver pkg/util/webhook/validation.go.
#pragma once
#include <string_view>

#include "ksim/api/rules/field_errors.h"
#include "ksim/value/value.h"

namespace ksim::api {

void ValidateWebhookUrl(std::string_view text, const FieldPath& path, FieldErrorList* errors);
void ValidateWebhookService(const value::Value& service, const FieldPath& path,
                            FieldErrorList* errors);

}  // namespace ksim::api
