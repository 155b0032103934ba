// CidrSet: the ranges of one cluster range, 10.244.0.0/16, that are given to nodes, a /24 each.
//
// Source: pkg/controller/nodeipam/ipam/cidrset/cidr_set.go.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ksim::controllers {

class CidrSet {
 public:
  CidrSet() : used_(kRanges) {}
  // The next free range, in turn, so that one that was released is not given again at once; nullopt
  // if there is none.
  std::optional<std::string> AllocateNext();
  // False if the range is not one of the cluster's. What is occupied twice, or released without
  // having been, changes nothing.
  bool Occupy(std::string_view cidr) { return Mark(cidr, true); }
  bool Release(std::string_view cidr) { return Mark(cidr, false); }

 private:
  static constexpr std::size_t kRanges = 256;
  bool Mark(std::string_view cidr, bool used);

  std::vector<bool> used_;
  std::size_t next_ = 0;
};

}  // namespace ksim::controllers
