// An image as a container runtime sees it. Its name decides all of it that the scenario does not
// describe: every node that pulls it has the same digest and the same size.
//
// Source: containerd pkg/cri (github.com/distribution/reference ParseDockerRef, repoDigests).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/base/time.h"

namespace ksim::kubelet {

// "docker.io/library/nginx:latest" for "nginx".
std::string FullImageName(std::string_view image);

// The name by which a pod's status tells which image it was: "docker.io/library/nginx@sha256:...".
// An image that is named by its digest keeps that.
std::string ImageId(std::string_view image);

// 20 to 200 MB.
std::int64_t ImageBytes(std::string_view image);

// An image as a scenario describes it.
struct ImageSpec {
  ImageSpec() = default;
  std::string name;    // as pods name it; without a tag or digest: whatever the tag
  std::string user;    // USER of its Dockerfile; "": root
  std::string digest;  // "sha256:..."; "": that of its name
  std::optional<std::int64_t> bytes;
  std::optional<Duration> pull;  // how long one takes
  std::string exit;              // how its program ends (behaviour.h); "": it runs
  bool present = false;          // on every node from the start
  bool missing = false;          // its registry does not have it
};

// The images of a cluster, the same for every node.
class ImageCatalog {
 public:
  ImageCatalog() = default;
  explicit ImageCatalog(std::vector<ImageSpec> images) : images_(std::move(images)) {}

  // The image's own entry before one that leaves the tag open; null: nobody has described it.
  const ImageSpec* Find(std::string_view image) const;
  // The user that its programs run as, as the image says it: 0, 1000:1000, nobody; "": it says
  // nothing, which is root. Of an image that is not described a name with "nonroot" or
  // "unprivileged" tells that it is not root's.
  std::string UserOf(std::string_view image) const;
  std::string IdOf(std::string_view image) const;
  std::int64_t BytesOf(std::string_view image) const;
  const std::vector<ImageSpec>& images() const { return images_; }

 private:
  std::vector<ImageSpec> images_;
};

}  // namespace ksim::kubelet
