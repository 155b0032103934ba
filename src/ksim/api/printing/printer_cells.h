// Printer cells: texts in the rows of tables.
//
// Source: pkg/printers/internalversion/printers.go.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::api {

// How long ago, as kubectl shows an age; "<unknown>" without a time.
std::string AgeSince(std::optional<VirtualTime> then, VirtualTime now);

// metav1.FormatLabelSelector: "app=web,tier in (a,b)", "<none>".
std::string SelectorText(const value::Value& selector);

namespace cells {

std::string Name(const Object& o);
std::string Age(const Object& o, VirtualTime now);
std::string Text(const value::Value& v);
std::string Lower(std::string_view text);
// labels.FormatLabels: "a=b,c=d", "<none>".
std::string Labels(const value::Value& map);
// That field of each item of a list: "web,sidecar".
std::string JoinField(const value::Value& list, std::string_view field);
std::string JoinTexts(const std::vector<std::string>& texts, std::string_view separator);
std::string Count(const value::Value& v);
// "true" or "false".
std::string YesNo(const value::Value& v);
// The text, or something else where there is none: no field, no text in it.
std::string TextOr(const value::Value& v, std::string_view otherwise);
std::string OrUnknown(const value::Value& v);
// A quantity in its canonical form, "0" for anything else.
std::string AmountText(const value::Value& v);
// The first kListedAtMost texts, and how many more there are: "a,b,c + 2 more...".
inline constexpr std::size_t kListedAtMost = 3;
std::string ShortList(std::vector<std::string> texts);
std::string ListWithRest(const std::vector<std::string>& texts, std::size_t more);

// A whole row: name and metadata.creationTimestamp (tables of kinds without a printer upstream).
std::vector<std::string> NameAndCreation(const Object& o, VirtualTime now);
// The row with names and images of the containers in spec.template; with spec.selector, too.
std::vector<std::string> WithContainers(std::vector<std::string> cells, const Object& o);
std::vector<std::string> WithSelector(std::vector<std::string> cells, const Object& o);

}  // namespace cells
}  // namespace ksim::api
