// The table of protobuf messages: proto_types.txt, compiled in.
#pragma once
#include <string_view>

namespace ksim::api {

extern const std::string_view kProtoTable;

}  // namespace ksim::api
