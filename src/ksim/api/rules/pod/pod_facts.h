// PodFacts: the facts about a pod that the rules of its containers read.
#pragma once
#include <vector>

#include "ksim/value/value.h"

namespace ksim::api {

struct PodFacts {
  PodFacts(const value::Value& s, bool pod) : spec(s), is_pod(pod) {}
  const value::Value& spec;
  bool is_pod;                               // a Pod's own spec, not a template's
  std::vector<const value::Value*> volumes;  // those without an error; no other can be mounted
};

}  // namespace ksim::api
