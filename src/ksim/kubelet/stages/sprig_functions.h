// The part of sprig's functions that templates may call (template_functions.h): those on texts,
// lists, maps and whole numbers.
#pragma once
#include <string_view>
#include <vector>

#include "ksim/kubelet/stages/template_functions.h"

namespace ksim::kubelet {

const TemplateFunction* FindSprigFunction(std::string_view name);  // null if there is none
void AppendSprigFunctionNames(std::vector<std::string_view>* names);

}  // namespace ksim::kubelet
