// The certificate of guests that serve, and its key: they keep no secret, for nobody speaks TLS to
// a guest; servers only want to have them. From files/.
#pragma once
#include <string_view>

namespace ksim::guest {

extern const std::string_view kServingCertificate;  // files/serving.crt: from 2000 to 2200
extern const std::string_view kServingKey;          // files/serving.key

}  // namespace ksim::guest
