#include "ksim/base/status.h"

#include <string>

namespace ksim {

absl::Status Annotate(const absl::Status& status, std::string_view prefix) {
  if (status.ok()) return status;
  std::string text(prefix);
  text.append(": ").append(Message(status));
  return absl::Status(status.code(), text);
}

}  // namespace ksim
