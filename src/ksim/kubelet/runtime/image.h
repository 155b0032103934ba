// An image as a container runtime sees it. Its name decides all of it: every node that pulls it has
// the same digest and the same size.
//
// Source: containerd pkg/cri (github.com/distribution/reference ParseDockerRef, repoDigests).
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace ksim::kubelet {

// "docker.io/library/nginx:latest" for "nginx".
std::string FullImageName(std::string_view image);

// The name by which a pod's status tells which image it was: "docker.io/library/nginx@sha256:...".
// An image that is named by its digest keeps that.
std::string ImageId(std::string_view image);

// 20 to 200 MB.
std::int64_t ImageBytes(std::string_view image);

}  // namespace ksim::kubelet
