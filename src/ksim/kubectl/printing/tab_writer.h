// TabWriter: text with tabs, its columns aligned as Go's text/tabwriter aligns them for
// `kubectl describe`: cells at least as wide as their widest neighbour above and below in the same
// block of lines, and two spaces apart.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace ksim::kubectl {

class TabWriter {
 public:
  // A line, or a part of one, two spaces further in for each level.
  template <class... Args>
  void Write(int level, fmt::format_string<Args...> text, Args&&... args) {
    text_.append(static_cast<std::size_t>(level) * 2, ' ');
    text_ += fmt::format(text, std::forward<Args>(args)...);
  }
  void Flush();        // what comes is aligned on its own
  std::string Take();  // all of it, aligned

 private:
  std::string text_, out_;
};

}  // namespace ksim::kubectl
