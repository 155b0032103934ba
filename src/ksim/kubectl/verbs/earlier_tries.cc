#include "ksim/kubectl/verbs/earlier_tries.h"

namespace ksim::kubectl {

bool EarlierTries::IsSettled(const std::string& object, const api::Response& answer) {
  const bool done = answer.code > 0 && answer.code < 400;
  const bool perhaps = answer.code == 0 || answer.code >= 500;  // an error on the way back, or 504
  if (done || perhaps) Note(object);
  const bool is_so = answer.status.reason == "AlreadyExists" || answer.status.reason == "NotFound";
  return done || (is_so && Had(object));
}

}  // namespace ksim::kubectl
