// Mailbox<T>, Arrival<T>, Future<T>/Promise<T>, Signal: how actors wait for one another. None of
// them resumes the waiter inline: waking is a queue entry at the present virtual time, so it has
// its place in the one total order. A Mailbox or Signal must be destroyed after its waiters
// (KSIM_CHECK): what a process' tasks wait for belongs to the process, which drops it after its
// tasks (OnStop).
#pragma once
#include <memory>
#include <optional>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/sim/internal/fifo.h"
#include "ksim/sim/simulation.h"

namespace ksim::sim {

namespace internal {

// A place where at most one Suspension waits. It stays until the waiter has run again or is gone,
// so that nobody can slip in between a wake-up and its taking effect.
class WaitPoint {
 public:
  WaitPoint() = default;
  WaitPoint(const WaitPoint&) = delete;
  WaitPoint& operator=(const WaitPoint&) = delete;
  ~WaitPoint() { KSIM_CHECK(waiting_ == nullptr) << "destroyed while a task waits for it"; }
  void Set(Suspension* s) {
    KSIM_CHECK(waiting_ == nullptr) << "two tasks wait at one place";
    waiting_ = s;
    woken_ = false;
  }
  void Clear(Suspension* s) {
    if (waiting_ == s) waiting_ = nullptr;
  }
  void Wake(const char* label) {
    if (waiting_ == nullptr || woken_) return;
    woken_ = true;
    waiting_->WakeAfter({}, TimerKind::kWork, label);
  }
  bool occupied() const { return waiting_ != nullptr; }

 private:
  Suspension* waiting_ = nullptr;
  bool woken_ = false;
};

}  // namespace internal

// One receiver at a time, many senders, unbounded, first in first out.
template <class T>
class Mailbox {
 public:
  explicit Mailbox(Simulation& sim) : sim_(sim) {}
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void Send(T item) {
    items_.Push(std::move(item));
    waiter_.Wake("mailbox");
  }
  // No more items will come; what is queued is still received, then nullopt.
  void Close() {
    closed_ = true;
    waiter_.Wake("mailbox");
  }
  bool closed() const { return closed_; }
  std::size_t size() const { return items_.size(); }

  class Receiver {
   public:
    Receiver(Mailbox& box, std::optional<Duration> timeout, TimerKind kind)
        : box_(box), suspension_(box.sim_), timeout_(timeout), kind_(kind) {}
    ~Receiver() { box_.waiter_.Clear(&suspension_); }
    Receiver(const Receiver&) = delete;
    bool await_ready() const {
      KSIM_CHECK(!box_.waiter_.occupied()) << "two tasks receive from one mailbox";
      return !box_.items_.empty() || box_.closed_;
    }
    void await_suspend(std::coroutine_handle<> frame) {
      suspension_.Claim(frame);
      box_.waiter_.Set(&suspension_);
      if (timeout_) suspension_.WakeAfter(*timeout_, kind_, "receive timeout");
    }
    std::optional<T> await_resume() {
      box_.waiter_.Clear(&suspension_);
      if (box_.items_.empty()) return std::nullopt;
      return box_.items_.Pop();
    }

   private:
    Mailbox& box_;
    internal::Suspension suspension_;
    std::optional<Duration> timeout_;
    TimerKind kind_;
  };
  // std::optional<T> item = co_await box.Receive();  nullopt: closed and empty.
  Receiver Receive() { return Receiver(*this, std::nullopt, TimerKind::kWork); }
  // nullopt: closed and empty, or nothing came within `timeout`.
  Receiver ReceiveFor(Duration timeout, TimerKind kind) { return Receiver(*this, timeout, kind); }

 private:
  Simulation& sim_;
  Fifo<T> items_;
  bool closed_ = false;
  internal::WaitPoint waiter_;
};

// One value, set once, for one task that waits: a part of what both sides keep alive.
template <class T>
class Arrival {
 public:
  explicit Arrival(Simulation& sim) : sim_(sim) {}
  Arrival(const Arrival&) = delete;
  Arrival& operator=(const Arrival&) = delete;
  bool ready() const { return ready_; }
  void Set(T value) {
    value_.emplace(std::move(value));
    GiveUp();
  }
  // Nothing will come: wakes who waits, with nullopt.
  void GiveUp() {
    ready_ = true;
    waiter_.Wake("future");
  }

  class Waiter {
   public:
    Waiter(Arrival& arrival, std::optional<Duration> timeout, TimerKind kind)
        : arrival_(arrival), suspension_(arrival.sim_), timeout_(timeout), kind_(kind) {}
    ~Waiter() { arrival_.waiter_.Clear(&suspension_); }
    Waiter(const Waiter&) = delete;
    bool await_ready() const { return arrival_.ready_; }
    void await_suspend(std::coroutine_handle<> frame) {
      suspension_.Claim(frame);
      arrival_.waiter_.Set(&suspension_);
      if (timeout_) suspension_.WakeAfter(*timeout_, kind_, "wait timeout");
    }
    std::optional<T> await_resume() {
      arrival_.waiter_.Clear(&suspension_);
      return std::exchange(arrival_.value_, std::nullopt);
    }

   private:
    Arrival& arrival_;
    internal::Suspension suspension_;
    std::optional<Duration> timeout_;
    TimerKind kind_;
  };

 private:
  Simulation& sim_;
  std::optional<T> value_;
  bool ready_ = false;
  internal::WaitPoint waiter_;
};

// The same with two sides that share it: either may be destroyed first. A Promise that dies
// unfulfilled wakes the Future with nullopt (the other side is gone).
template <class T>
class Future;

template <class T>
class Promise {
 public:
  explicit Promise(Simulation& sim) : state_(std::make_shared<Arrival<T>>(sim)) {}
  Promise(Promise&&) noexcept = default;
  Promise& operator=(Promise&& o) noexcept {
    if (this == &o) return *this;
    Break();
    state_ = std::move(o.state_);
    return *this;
  }
  ~Promise() { Break(); }
  Future<T> future() const { return Future<T>(state_); }
  // Once: pending() is false afterwards.
  void Fulfil(T value) {
    KSIM_CHECK(pending()) << "fulfilled twice";
    state_->Set(std::move(value));
    state_.reset();
  }
  bool pending() const { return state_ != nullptr; }  // neither fulfilled nor moved from

 private:
  void Break() {
    if (!state_) return;
    state_->GiveUp();
    state_.reset();
  }
  std::shared_ptr<Arrival<T>> state_;
};

template <class T>
class Future {
 public:
  bool ready() const { return state_->ready(); }

  class Waiter {
   public:
    Waiter(std::shared_ptr<Arrival<T>> state, std::optional<Duration> timeout, TimerKind kind)
        : state_(std::move(state)), waiter_(*state_, timeout, kind) {}
    Waiter(const Waiter&) = delete;
    bool await_ready() const { return waiter_.await_ready(); }
    void await_suspend(std::coroutine_handle<> frame) { waiter_.await_suspend(frame); }
    std::optional<T> await_resume() { return waiter_.await_resume(); }

   private:
    std::shared_ptr<Arrival<T>> state_;
    typename Arrival<T>::Waiter waiter_;
  };
  // nullopt: the promise was destroyed unfulfilled. The value is handed out once.
  Waiter Wait() { return Waiter(state_, std::nullopt, TimerKind::kWork); }
  // nullopt with !ready(): the time was up first.
  Waiter WaitFor(Duration timeout, TimerKind kind) { return Waiter(state_, timeout, kind); }

 private:
  friend class Promise<T>;
  explicit Future(std::shared_ptr<Arrival<T>> state) : state_(std::move(state)) {}
  std::shared_ptr<Arrival<T>> state_;
};

// Wakes everybody who waits at the moment of Notify, in the order they began to wait. Waiters test
// their condition again: while (!ready()) co_await signal.Wait();
class Signal {
 public:
  explicit Signal(Simulation& sim) : sim_(sim) {}
  ~Signal() { KSIM_CHECK(first_ == nullptr) << "signal destroyed while a task waits for it"; }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  class Waiter {
   public:
    Waiter(Signal& signal, std::optional<Duration> timeout, TimerKind kind)
        : signal_(signal), suspension_(signal.sim_), timeout_(timeout), kind_(kind) {}
    ~Waiter() { signal_.Remove(this); }
    Waiter(const Waiter&) = delete;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> frame) {
      suspension_.Claim(frame);
      signal_.Append(this);
      if (timeout_) suspension_.WakeAfter(*timeout_, kind_, "wait timeout");
    }
    // True if notified, false if the time was up.
    bool await_resume() { return !signal_.Remove(this); }

   private:
    friend class Signal;
    Signal& signal_;
    Waiter* next_ = nullptr;  // who began to wait after it
    internal::Suspension suspension_;
    std::optional<Duration> timeout_;
    TimerKind kind_;
  };
  Waiter Wait() { return Waiter(*this, std::nullopt, TimerKind::kWork); }
  Waiter WaitFor(Duration timeout, TimerKind kind) { return Waiter(*this, timeout, kind); }

  void Notify() {
    last_ = nullptr;
    while (first_ != nullptr) {
      first_->suspension_.WakeAfter({}, TimerKind::kWork, "signal");
      first_ = std::exchange(first_->next_, nullptr);
    }
  }

 private:
  void Append(Waiter* waiter) {
    (last_ == nullptr ? first_ : last_->next_) = waiter;
    last_ = waiter;
  }
  // False if it does not wait any more.
  bool Remove(Waiter* waiter) {
    Waiter* before = nullptr;
    for (Waiter* at = first_; at != waiter; at = at->next_) {
      if (at == nullptr) return false;
      before = at;
    }
    (before == nullptr ? first_ : before->next_) = std::exchange(waiter->next_, nullptr);
    if (last_ == waiter) last_ = before;
    return true;
  }

  Simulation& sim_;
  Waiter* first_ = nullptr;  // those who wait, in the order in which they began to
  Waiter* last_ = nullptr;
};

}  // namespace ksim::sim
