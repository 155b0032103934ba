// PodWarningList: the warnings about one pod or pod template, each with the path of its field.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/core/profile.h"

namespace ksim::api {

class PodWarningList {
 public:
  // `prefix` stands before each path: "" or that of a template ("spec.template.").
  PodWarningList(std::string_view prefix, Compat compat)
      : prefix_(prefix), compat_(compat), profile_(ProfileOf(compat)) {}
  Compat compat() const { return compat_; }
  const Profile& profile() const { return profile_; }
  std::string Path(std::string_view field) const { return fmt::format("{}{}", prefix_, field); }
  void Add(std::string_view field, std::string_view text) {
    out_.push_back(fmt::format("{}: {}", field, text));
  }
  std::vector<std::string> Take() { return std::move(out_); }

 private:
  std::string_view prefix_;
  Compat compat_;
  const Profile& profile_;
  std::vector<std::string> out_;
};

}  // namespace ksim::api
