// The table of the structs of a pod template: template_types.txt, compiled in.
#pragma once
#include <string_view>

namespace ksim::api {

extern const std::string_view kTemplateTypes;

}  // namespace ksim::api
