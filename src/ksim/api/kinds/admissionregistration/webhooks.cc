#include "ksim/api/kinds/admissionregistration/webhooks.h"

#include <string>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

std::vector<std::string> WebhookCells(const Object& o, VirtualTime now) {
  return {cells::Name(o), std::to_string(o.tree().Get("webhooks").size()), cells::Age(o, now)};
}

}  // namespace ksim::api
