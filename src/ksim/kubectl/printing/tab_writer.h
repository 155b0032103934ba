// TabWriter: text with tabs, its columns aligned as Go's text/tabwriter aligns them for
// `kubectl describe`: cells at least as wide as their widest neighbour above and below in the same
// block of lines, and two spaces apart. Whoever reads it may trust their terminal: escape
// characters are written as "^[".
//
// Source: kubectl pkg/describe/describe.go prefixWriter.
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
    Append(level, fmt::format(text, std::forward<Args>(args)...));
  }
  void Flush();        // what comes is aligned on its own
  std::string Take();  // all of it, aligned

 private:
  void Append(int level, std::string_view text);

  std::string text_, out_;
};

}  // namespace ksim::kubectl
