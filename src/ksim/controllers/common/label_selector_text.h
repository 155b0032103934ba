// A metav1.LabelSelector as Go prints it with %v or %+v: the String method that gogo generates.
//
// Source: apimachinery pkg/apis/meta/v1/generated.pb.go (LabelSelector) String.
#pragma once
#include <string>

#include "ksim/value/value.h"

namespace ksim::controllers {

// "nil" for a null Value.
std::string LabelSelectorText(const value::Value& selector);

}  // namespace ksim::controllers
