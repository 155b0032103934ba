// The secrets that a pod may name: those of its service account, where an annotation of the account
// says that it is held to them.
//
// Source: plugin/pkg/admission/serviceaccount/admission.go enforceMountableSecrets,
// limitSecretReferences.
#pragma once
#include <string>

#include "ksim/api/object.h"
#include "ksim/value/value.h"

namespace ksim::apiserver {

// Why the pod may not name what it names; "" if it may.
std::string SecretsRefusal(const value::Value& pod, const api::Object& account);

}  // namespace ksim::apiserver
