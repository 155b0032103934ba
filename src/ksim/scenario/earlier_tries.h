// EarlierTries: what somebody remembers who types a command once more. The answer to the first try
// may have been lost on its way, or a later part of the command have failed: "AlreadyExists" and
// "NotFound" then only say that the object was made, or deleted, before.
#pragma once
#include <set>
#include <string>

#include "ksim/api/request.h"

namespace ksim::scenario {

class EarlierTries {
 public:
  EarlierTries() = default;

  // Takes the answer to the creation or deletion of `object`. True if all is well with it: it was
  // done, or an earlier try may have done it and it is.
  bool Settled(const std::string& object, const api::Response& answer);

  // The same for what needs no answer: this try has done it; an earlier one had.
  void Note(const std::string& what) { now_.insert(what); }
  bool Had(const std::string& what) const { return before_.contains(what); }

  // The command is typed again.
  void Next() { before_.merge(now_); }

 private:
  std::set<std::string> now_, before_;  // done for certain, or perhaps
};

}  // namespace ksim::scenario
