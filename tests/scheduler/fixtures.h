// Nodes and pods for the scheduler's tests, from a few words.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "ksim/api/object.h"
#include "ksim/value/json.h"

namespace ksim::scheduler {

inline api::Object FromJson(std::string_view json) {
  return api::Object::FromTree(*value::ParseJson(json));
}

// A pod with one container; `spec` is further members of the spec: R"("nodeName":"n1")".
inline api::Object Pod(std::string_view name, std::string_view requests = "",
                       std::string_view spec = "", int rv = 1) {
  return api::Object::FromTree(
      *value::ParseJson(fmt::format(
          R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{0}","namespace":"default",
              "uid":"uid-{0}","labels":{{"app":"x"}}}},"spec":{{"containers":[{{"name":"c",
              "resources":{{"requests":{{{1}}}}}}}]{2}{3}}},"status":{{"phase":"Pending"}}}})",
          name, requests, spec.empty() ? "" : ",", spec)),
      rv);
}

// A node with 4 CPUs, 8 GiB and room for 10 pods; `labels` and `spec` are further members.
inline api::Object Node(std::string_view name, std::string_view labels = "",
                        std::string_view spec = "", std::string_view allocatable = "") {
  return FromJson(fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"{0}","labels":{{
          "kubernetes.io/hostname":"{0}"{1}{2}}}}},"spec":{{{3}}},"status":{{"allocatable":{{
          {4}}}}}}})",
      name, labels.empty() ? "" : ",", labels, spec,
      allocatable.empty() ? R"("cpu":"4","memory":"8Gi","pods":"10")" : allocatable));
}

}  // namespace ksim::scheduler
