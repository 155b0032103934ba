// Tells what kubectl printed from a trace of ksim, by how a file begins.
#pragma once
#include <cstdint>
#include <string_view>

namespace ksim::check {

enum class KubectlOutput : std::uint8_t {
  kNone,   // a trace, or nothing that kubectl prints
  kJson,   // -w -o json: objects one after another, with or without --output-watch-events
  kTable,  // -w
};

// `text`: the file, or its beginning.
KubectlOutput KubectlOutputOf(std::string_view text);

// NAME READY ...; with -A NAMESPACE, with --output-watch-events EVENT before it.
bool IsTableHead(std::string_view line);

}  // namespace ksim::check
