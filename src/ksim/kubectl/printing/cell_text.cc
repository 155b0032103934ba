#include "ksim/kubectl/printing/cell_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace ksim::kubectl {

std::size_t CodePointCount(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string EscapeTerminal(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\x1b')
      out += "^[";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out;
}

std::string LabelsText(const value::Value& labels) {
  std::string out;
  for (const value::Value::Member& m : labels.members())
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", m.name.text(), m.value.AsString());
  return out.empty() ? "<none>" : out;
}

}  // namespace ksim::kubectl
