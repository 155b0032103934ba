#include "ksim/check/kubectl_output.h"

#include <algorithm>

#include "ksim/value/json.h"
#include "ksim/value/json_stream.h"

namespace ksim::check {

bool IsTableHead(std::string_view line) {
  const std::string_view first = line.substr(0, line.find(' '));
  if (first != "NAME" && first != "NAMESPACE" && first != "EVENT") return false;
  return std::none_of(line.begin(), line.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

KubectlOutput KubectlOutputOf(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return KubectlOutput::kNone;
  text.remove_prefix(begin);
  if (IsTableHead(text.substr(0, text.find_first_of("\r\n")))) return KubectlOutput::kTable;
  if (text.front() != '{') return KubectlOutput::kNone;
  const auto first = value::ParseJson(text.substr(0, value::JsonObjectLength(text)));
  if (!first.ok() || first->Has("ksim")) return KubectlOutput::kNone;
  const bool event = first->Has("type") && first->Get("object").is_object();
  const bool object = first->Has("kind") && first->Get("metadata").is_object();
  return event || object ? KubectlOutput::kJson : KubectlOutput::kNone;
}

}  // namespace ksim::check
