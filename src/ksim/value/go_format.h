// How Go's fmt and encoding/json show documents: strategic merge patch sorts by these texts and
// quotes them in its errors, kubectl prints them.
#pragma once
#include <string>
#include <string_view>

#include "ksim/value/value.h"

namespace ksim::value {

std::string GoFormat(const Value& v);               // %v: map[a:1 b:[x y]], <nil>
int CompareGoText(const Value& a, const Value& b);  // bytewise, of these texts
std::string_view GoTypeName(const Value& v);  // reflect.TypeOf: map[string]interface {}, int64
// The word of encoding/json for a value in an UnmarshalTypeError: object array bool string number.
std::string_view JsonWord(const Value& v);

// %#v: map[string]interface {}{"a":1, "b":[]interface {}{"x"}}
std::string GoSyntax(const Value& v);
// json.Marshal, and with an indent MarshalIndent: <, >, & and the line separators are escaped.
std::string GoJson(const Value& v, int indent = 0);

}  // namespace ksim::value
