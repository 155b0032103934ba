// Names of container images, as far as the default pull policy depends on them.
//
// Sources: pkg/util/parsers ParseImageName; github.com/distribution/reference regexp.go,
// normalize.go ParseNormalizedNamed.
#pragma once
#include <string_view>

namespace ksim::api {

// "Always" for an image with tag latest or with neither tag nor digest, else "IfNotPresent".
const char* DefaultPullPolicy(std::string_view image);

}  // namespace ksim::api
