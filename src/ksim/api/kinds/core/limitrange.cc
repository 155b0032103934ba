// The kind LimitRange of v1.
#include "ksim/api/core/kind_spec.h"
#include "ksim/api/printing/printer_cells.h"

namespace ksim::api {

namespace {

constexpr std::string_view kLimitRangeTypes = R"(
LimitRange: apiVersion=string kind=string metadata=ObjectMeta spec=LimitRangeSpec
LimitRangeItem: default={}Quantity@ResourceList defaultRequest={}Quantity@ResourceList
   max={}Quantity@ResourceList maxLimitRequestRatio={}Quantity@ResourceList
   min={}Quantity@ResourceList type!=s:LimitType
LimitRangeSpec: limits!=[]LimitRangeItem
)";

}  // namespace

extern const KindSpec kLimitRangeKind = {
    .kind = "LimitRange",
    .resource = "limitranges",
    .short_names = {"limits"},
    .create_on_update = true,
    .go_types = kLimitRangeTypes,
    .columns = {{"Name"}, {"Created At"}},
    .cells = cells::NameAndCreation,
};

}  // namespace ksim::api
