// The operators on values: equality, order, arithmetic, conversion. Each answers with a value
// that may be an error, in cel-go's words.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "ksim/cel/values/val.h"

namespace ksim::cel {

// types.Equal: true, false or an error; numbers compare across their types, null equals only null.
Val Equal(const Val& a, const Val& b);
inline bool IsEqual(const Val& a, const Val& b) { return Equal(a, b).is_true(); }
// traits.Comparer: -1, 0, 1 or an error.
Val Compare(const Val& a, const Val& b);

Val Add(const Val& a, const Val& b);
Val Subtract(const Val& a, const Val& b);
Val Multiply(const Val& a, const Val& b);
Val Divide(const Val& a, const Val& b);
Val Modulo(const Val& a, const Val& b);
Val Negate(const Val& a);

// The conversion functions int(), uint(), double(), string(), bytes(), bool(), timestamp() and
// duration().
Val ConvertTo(const Val& v, TypeKind kind);

// m[k]: the value, or nullopt if there is none. An error of the index itself is an error.
std::optional<Val> FindIn(const Val& container, const Val& key);

// Values as cel-go's types.Format writes them: {"a": 1}, timestamp("..."), b"..".
std::string FormatLiteral(const Val& v);

}  // namespace ksim::cel
