// The meaning of plain YAML scalars: by the YAML 1.2 core schema, which ksim follows in its own
// files, and by kubectl's reader (sigs.k8s.io/yaml goyaml.v2, resolve.go), as manifests are read.
#pragma once
#include <string>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::value {

// YAML 1.2 core: null, true/false, decimal, 0o and 0x integers, floats, .inf, .nan; else a string.
Value ResolveCore(std::string_view plain);

struct KubectlScalar {
  KubectlScalar() = default;
  // A timestamp becomes a string on the way to JSON, but is quoted when it is printed.
  bool timestamp = false;
  bool merge = false;  // "<<"
  Value value;
};
KubectlScalar ResolveKubectl(std::string_view plain);

// The mode of a file as it is written in manifests: 0 and three octal digits. The core schema reads
// a decimal number.
bool IsFileMode(std::string_view plain);

// How kubectl takes a plain scalar that the core schema reads as something else: "the boolean
// true", "the integer 8"; "" if both agree, or it is the mode of a file (0644).
std::string KubectlDifference(std::string_view plain);
// The same for a mapping key, whose value is turned back into text.
std::string KubectlKeyDifference(std::string_view plain);

// True if a string may be printed without quotes (goyaml.v2 encode.go, stringv).
bool IsPlainString(std::string_view text);

}  // namespace ksim::value
