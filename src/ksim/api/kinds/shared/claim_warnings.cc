#include "ksim/api/kinds/shared/claim_warnings.h"

#include <fmt/format.h>

#include "absl/status/statusor.h"
#include "ksim/api/core/go_text.h"
#include "ksim/value/quantity.h"

namespace ksim::api {

void WarnOfClaimSpec(const value::Value& spec, std::string_view path,
                     std::vector<std::string>* warnings) {
  for (const char* list : {"requests", "limits"}) {
    const value::Value& given = spec.Get("resources").Get(list).Get("storage");
    const absl::StatusOr<value::Quantity> amount = value::Quantity::FromTree(given);
    if (!amount.ok() || amount->MilliValue() % 1000 == 0) continue;
    warnings->push_back(
        fmt::format("{}.resources.{}[storage]: fractional byte value {} is invalid, must be an "
                    "integer",
                    path, list, GoQuote(amount->ToString())));
  }
}

}  // namespace ksim::api
