// The finalizers of an object: whether it has one, and the object with it or without.
//
// Source: pkg/controller/util/protectionutil/utils.go; pkg/util/slice/slice.go RemoveString.
#pragma once
#include <string_view>

#include "ksim/api/object.h"

namespace ksim::controllers {

bool HasFinalizer(const api::Object& object, std::string_view finalizer);
// IsDeletionCandidate: the object is being deleted, and has the finalizer.
bool WaitsForFinalizer(const api::Object& object, std::string_view finalizer);
// NeedToAddFinalizer: it is not, and has it not.
bool NeedsFinalizer(const api::Object& object, std::string_view finalizer);
api::Object WithFinalizer(const api::Object& object, std::string_view finalizer);
api::Object WithoutFinalizer(const api::Object& object, std::string_view finalizer);

}  // namespace ksim::controllers
