#include "ksim/trace/events.h"

#include "ksim/base/hash.h"

namespace ksim::trace {

std::uint64_t StepPayload::ContentHash() const {
  Hasher h;
  h.Add(number).Add(verb).Add(target).Add(args.Hash()).Add(begin).Add(result);
  return h.Digest();
}

std::uint64_t PhasePayload::ContentHash() const { return Hasher().Add(name).Digest(); }

std::uint64_t ActorPayload::ContentHash() const {
  return Hasher().Add(process).Add(state).Digest();
}

std::uint64_t FaultPayload::ContentHash() const {
  Hasher h;
  h.Add(id).Add(verb).Add(target).Add(args.Hash()).Add(plan).Add(state);
  return h.Digest();
}

std::uint64_t ViolationPayload::ContentHash() const {
  Hasher h;
  h.Add(violation.oracle).Add(violation.message).Add(violation.first);
  for (const std::string& o : violation.objects) h.Add(o);
  return h.Digest();
}

std::uint64_t InputPayload::ContentHash() const {
  Hasher h;
  h.Add(what).Add(connection).Add(stream).Add(method).Add(target).Add(headers.Hash());
  h.Add(body).Add(base64);
  return h.Digest();
}

std::uint64_t LogPayload::ContentHash() const {
  return Hasher().Add(stream).Add(level).Add(place).Add(text).Digest();
}

}  // namespace ksim::trace
