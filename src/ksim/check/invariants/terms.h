// Terms: the parts of an expression that name something: object.spec.copies, size(objects), count.
// A message about an invariant shows their values.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ksim::check {

// Each once, in the order in which they stand there. Variables of macros name nothing outside.
std::vector<std::string> TermsOf(std::string_view expression);

}  // namespace ksim::check
