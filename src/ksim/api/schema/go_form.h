// GoForm: the form in which Go writes an object: with the fields that are there even when they are
// empty. Those are fields without omitempty, structs that are no pointers, and times; a tree holds
// only what somebody set. Clients see this form on the wire, and managedFields know its fields.
//
// Source: encoding/json isEmptyValue; structured-merge-diff value/reflectcache.go CanOmit.
#pragma once
#include <cstdint>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Whether the object has been stored: reading it again, Go makes no difference between an empty
// list or map and none.
enum class Stored : std::uint8_t { kNo, kYes };

// An object of the kind in that form. A custom resource, which has no Go type, stays as it is, and
// so do fields that the kind does not have.
value::Value GoForm(const ResourceInfo& kind, const value::Value& tree, Compat compat,
                    Stored stored = Stored::kNo);

// An update in the representation of the object that it is of. What Go cannot tell apart (an empty
// struct that is no pointer, an empty list, a zero number from none of it) is there or missing as
// it is in `old`: a client that sends back what it was sent changes nothing.
value::Value InFormOf(const ResourceInfo& kind, const value::Value& old, const value::Value& tree);

}  // namespace ksim::api
