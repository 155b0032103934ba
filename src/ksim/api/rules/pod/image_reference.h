// Names of container images: what is none, and the default pull policy of one.
//
// Sources: pkg/util/parsers ParseImageName; github.com/distribution/reference regexp.go,
// normalize.go ParseNormalizedNamed.
#pragma once
#include <string>
#include <string_view>

namespace ksim::api {

// "" if it is a name, else what is wrong with it. `tells_name`: 1.30 and later name it, and the
// repository that is not in lower case.
std::string ImageNameProblem(std::string_view image, bool tells_name);

// "Always" for an image with tag latest or with neither tag nor digest, else "IfNotPresent".
const char* DefaultPullPolicy(std::string_view image);

}  // namespace ksim::api
