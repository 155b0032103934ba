// EarlierTries: what a user remembers who types a command once more. The answer to the first try
// may have been lost on its way, or a later part of the command have failed: "AlreadyExists" and
// "NotFound" then only say that the object was made, or deleted, before.
#pragma once
#include <set>
#include <string>

#include "ksim/api/request.h"

namespace ksim::kubectl {

class EarlierTries {
 public:
  EarlierTries() = default;

  // Takes the answer to the creation or deletion of `object`. True if all is well with it: it was
  // done, or an earlier try may have done it and it is.
  bool IsSettled(const std::string& object, const api::Response& answer);

  // Notes that this try has done something that needs no answer.
  void Note(const std::string& what) { now_.insert(what); }
  // True if an earlier try has noted it.
  bool Had(const std::string& what) const { return before_.contains(what); }

  // The command is typed again.
  void BeginNextTry() { before_.merge(now_); }

 private:
  std::set<std::string> now_, before_;  // done for certain, or perhaps
};

}  // namespace ksim::kubectl
