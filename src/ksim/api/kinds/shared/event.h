// Events: the core group and events.k8s.io serve the same objects under field names of their own.
//
// Sources: pkg/apis/core/validation/events.go, pkg/printers/internalversion/printers.go printEvent.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/rules/field_errors.h"
#include "ksim/base/time.h"
#include "ksim/value/value.h"

namespace ksim::api {

// The names of an event's fields in the API that it was written with. Messages use those of the
// internal type.
struct EventFields {
  explicit EventFields(const value::Value& event);
  const char* object;
  const char* reporter;
  const char* message;
  const char* first;
  const char* last;
  const char* count;
  const char* source;
};

// legacyValidateEvent, which both APIs call.
void ValidateEvent(const value::Value& tree, FieldErrorList* errors);

std::vector<std::string> EventCells(const Object& o, VirtualTime now);

}  // namespace ksim::api
