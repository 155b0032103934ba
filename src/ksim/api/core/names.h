// Names and uids that the server gives out.
//
// Sources: apiserver pkg/storage/names/generate.go, apimachinery pkg/util/rand/rand.go,
// pkg/util/uuid.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "ksim/sim/decisions.h"

namespace ksim::api {

// A name for generateName `base`: its first 58 characters and five of bcdfghjklmnpqrstvwxz2456789,
// drawn at site name/RESOURCE. `identity` is the object's (api/identity.h); asking again with the
// same one gives the next candidate.
std::string GenerateName(sim::Decisions& decisions, std::string_view resource,
                         std::uint64_t identity, std::string_view base);

// rand.SafeEncodeString: a text that spells no bad word, in the letters above.
std::string SafeEncode(std::string_view text);

// A version 4 UUID in text form, drawn at site uid/RESOURCE.
std::string GenerateUid(sim::Decisions& decisions, std::string_view resource,
                        std::uint64_t identity);

}  // namespace ksim::api
