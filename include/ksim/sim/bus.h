// The bus: every layer emits its typed events here, and the digest, triggers, oracles and trace
// writers subscribe, in that order, each to the kinds that it reads. Emission is unconditional: an
// event that nobody reads has its number all the same, so that who listens changes nothing. sim/
// knows an event only as a kind number, who, which object, three words and an opaque payload; the
// layer that emits a kind defines its payload (store/events.h, apiserver/events.h,
// client/core/payloads.h, ...) and trace/ renders it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/base/time.h"
#include "ksim/sim/internal/frame_pool.h"

namespace ksim::sim {

// An interned actor name: PROCESS or PROCESS/PART. Process-wide table; ids follow first use and
// never reach a trace or a hash (name_hash does).
class ActorId {
 public:
  constexpr ActorId() = default;  // the empty name
  static ActorId Of(std::string_view name);
  std::string_view name() const;
  std::uint64_t name_hash() const;  // XXH3-64 of the name
  friend constexpr bool operator==(ActorId, ActorId) = default;

 private:
  std::uint32_t id_ = 0;
};

// The event kinds of a trace (docs/traces.md). The numbers enter the digest and never change.
enum class EventKind : std::uint16_t {
  kRequest = 1,
  kResponse = 2,
  kStage = 3,
  kCommit = 4,
  kCompact = 5,
  kWatch = 6,
  kEvent = 7,
  kDeliver = 8,
  kHandler = 9,
  kRelist = 10,
  kCache = 11,
  kReconcile = 12,
  kRuntime = 13,
  kFault = 14,
  kPhase = 15,
  kActor = 16,
  kStep = 17,
  kViolation = 18,
  kInput = 19,
  kWebhook = 20,
  kLog = 21,
};

class EventKinds {
 public:
  constexpr EventKinds() = default;  // none
  constexpr EventKinds(std::initializer_list<EventKind> kinds) {
    for (EventKind kind : kinds) bits_ |= Bit(kind);
  }
  static constexpr EventKinds AllBut(EventKinds others) {
    EventKinds out;
    out.bits_ = ~others.bits_;
    return out;
  }
  static constexpr EventKinds All() { return AllBut({}); }
  constexpr bool Has(EventKind kind) const { return (bits_ & Bit(kind)) != 0; }
  constexpr void Add(EventKinds others) { bits_ |= others.bits_; }

 private:
  static constexpr std::uint32_t Bit(EventKind kind) {
    return std::uint32_t{1} << static_cast<int>(kind);
  }
  std::uint32_t bits_ = 0;
};

// Base of all payloads: immutable once emitted, reference counted without atomics.
class Payload {
 public:
  Payload() = default;
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  virtual ~Payload() = default;
  static void* operator new(std::size_t n) { return internal::FramePool::Allocate(n); }
  static void operator delete(void* p, std::size_t n) noexcept { internal::FramePool::Free(p, n); }
  // XXH3-64 over every field that the trace shows (fixed little-endian, length-prefixed;
  // base/hash.h Hasher). The digest asks for it.
  virtual std::uint64_t ContentHash() const = 0;

 private:
  friend class PayloadRef;
  mutable std::uint32_t refs_ = 0;
};

class PayloadRef {
 public:
  PayloadRef() = default;
  explicit PayloadRef(const Payload* p) : p_(p) {
    if (p_) ++p_->refs_;
  }
  PayloadRef(const PayloadRef& o) : PayloadRef(o.p_) {}
  PayloadRef(PayloadRef&& o) noexcept : p_(o.p_) { o.p_ = nullptr; }
  PayloadRef& operator=(PayloadRef o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~PayloadRef() {
    if (p_ && --p_->refs_ == 0) delete p_;
  }
  const Payload* get() const { return p_; }
  // The emitting layer's type; the kind tells which.
  template <class T>
  const T& As() const {
    return static_cast<const T&>(*p_);
  }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  const Payload* p_ = nullptr;
};

template <class T, class... A>
PayloadRef MakePayload(A&&... a) {
  return PayloadRef(new T(std::forward<A>(a)...));
}

// The words that the emitter gives beside the payload.
struct EventInfo {
  EventKind kind;
  std::uint64_t object = 0;   // XXH3-64 of "resource/namespace/name"; 0 = no object
  std::int64_t revision = 0;  // 0 = none
};

struct Event {
  std::uint64_t seq = 0;  // from 1, no gaps
  VirtualTime time;
  ActorId actor;
  EventKind kind{};
  bool background = false;  // not in the trace: tells a heartbeat's traffic from work
  std::uint64_t cause = 0;
  std::uint64_t object = 0;
  std::int64_t revision = 0;
  PayloadRef payload;
  // The hash over everything in the payload; 0 without one.
  std::uint64_t content() const { return payload ? payload.get()->ContentHash() : 0; }
};

class Bus {
 public:
  // Order in which subscribers see one event.
  enum class Stage { kDigest, kTrigger, kOracle, kWriter };
  using Subscriber = std::function<void(const Event&)>;
  // Within a stage: in the order of subscribing.
  void Subscribe(Stage stage, EventKinds kinds, Subscriber take);
  void Subscribe(Stage stage, Subscriber take) {
    Subscribe(stage, EventKinds::All(), std::move(take));
  }
  // Whether anybody reads events of this kind. If not, they need no payload.
  bool IsRead(EventKind kind) const { return read_.Has(kind); }
  // Only Simulation calls it. Subscribers may Defer but not emit from inside.
  void Publish(const Event& e);
  std::uint64_t last_seq() const { return last_seq_; }

 private:
  friend class Simulation;
  struct Subscription {
    Stage stage;
    EventKinds kinds;
    Subscriber take;
  };
  std::vector<Subscription> subscriptions_;
  EventKinds read_;  // by any of them
  std::uint64_t last_seq_ = 0;
  bool publishing_ = false;
};

}  // namespace ksim::sim
