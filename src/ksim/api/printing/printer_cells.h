// What the rows of tables are made of.
//
// Source: pkg/printers/internalversion/printers.go.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::api {

struct Printer {
  const char* group;
  const char* kind;
  const char* columns;  // separated by |; ~ in front: wide only
  std::vector<std::string> (*cells)(const Object& o, VirtualTime now);
};

namespace cells {

std::string Name(const Object& o);
std::string Age(const Object& o, VirtualTime now);
std::string Text(const value::Value& v);
std::string Lower(std::string_view text);
// labels.FormatLabels: "a=b,c=d", "<none>".
std::string Labels(const value::Value& map);
// That field of each of a list: "web,sidecar".
std::string Join(const value::Value& list, std::string_view field);

}  // namespace cells
}  // namespace ksim::api
