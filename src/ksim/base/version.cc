#include "ksim/base/version.h"

namespace ksim {

std::string_view Version() { return KSIM_VERSION; }

}  // namespace ksim
