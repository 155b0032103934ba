// ServerAnswers: how an API server can fail a write that it could have done. A fault gives one of
// these answers, and only where a server could give it: it says no word about an object that is not
// so. Other errors (404, 422, ...) a server gives of itself where they are true, and no fault does.
//
// Sources: kubernetes/apiserver, kubernetes/apimachinery and etcd, as each row says.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/request.h"
#include "ksim/api/status.h"
#include "ksim/fault/injector.h"

namespace ksim::fault {

// Where in the server the answer comes from.
enum class AnswerFrom : std::uint8_t {
  kFilter,   // a filter in front of all handlers; nothing is done
  kHandler,  // the write as it is carried out, against what is stored
  kEtcd,     // etcd, when the write reaches it
  kDeadline  // the server, when the time of the request is over
};

// Whether the write is done.
enum class AnswerEffect : std::uint8_t {
  kNone,
  kUnknown  // it is done or not; the fault says which
};

struct ServerAnswer {
  int code = 0;
  std::string_view reason;  // "" where the server gives none
  std::string_view writes;  // those that it can be given to
  std::string_view when;    // it can be true
  AnswerFrom from = AnswerFrom::kFilter;
  AnswerEffect effect = AnswerEffect::kNone;
  std::string_view source;
};

// In the order of docs/faults.md.
const std::vector<ServerAnswer>& ServerAnswers();
// The codes of `rejectWrite`, which come without effect, and of `timeoutWrite`, where the effect is
// unknown.
const std::vector<int>& RejectingCodes();
const std::vector<int>& UnknownCodes();

// Why no server would answer the write so at this moment; "" if one could. Answers of etcd and of
// the deadline presume that the write gets that far.
std::string WhyNeverSaid(int code, const api::Request& request, Cluster& cluster);

// The answer of a filter (401, 403, 429), or the 409 to a generated name; nullopt for a code that
// comes from further in.
std::optional<api::Status> EarlyAnswer(int code, const api::Request& request, Cluster& cluster);

// Makes the 409 to a write that names a resource version true: another writer sets an annotation of
// the object first. `cause` is the seq of the event that led to it. False: there was no need, for
// the write is too old already, or its object is gone.
bool WriteFirst(const api::Request& request, Cluster& cluster, std::uint64_t cause);

}  // namespace ksim::fault
