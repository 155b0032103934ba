// Task<T>: the lazily started result of a coroutine. Actors are written as functions returning it.
//
// A Task owns its frame. Destroying a Task destroys the frame, the locals in it and every child
// Task it awaits: killing an actor is one destructor call, and leaf awaiters give up their slots
// in their own destructors. A finished child hands control back through a trampoline (no symmetric
// transfer), so stack depth is bounded by nesting depth at every optimisation level, and no frame
// is destroyed inside its own await_suspend (gcc PR 121961).
//
// Shape rule for co_await, because g++ 12 miscompiles others (tools/lint_co_await.py checks it):
//   co_await f(...);   T x = co_await f(...);   x = co_await f(...);   co_return co_await f(...);
// with names, literals or constructor calls as arguments; no braces, lambdas, ?:, && or || in that
// statement, and never in a condition. Types passed to a Task function need a user-declared
// constructor; the promise checks it at compile time.
#pragma once
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "ksim/sim/internal/frame_pool.h"

namespace ksim::sim {

template <class T = void>
class Task;

namespace internal {

// The frame that a finished child makes ready; Resume() drains it. One per thread.
extern constinit thread_local std::coroutine_handle<> next_to_resume;

// The only way a frame is resumed from outside: runs it, then whatever its end made ready.
inline void Resume(std::coroutine_handle<> frame) {
  do {
    frame.resume();
    frame = std::exchange(next_to_resume, nullptr);
  } while (frame);
}

// g++ 12 copies aggregate temporaries bit by bit into the awaiting frame and destroys them twice.
template <class A>
inline constexpr bool kSafeParameter = !std::is_aggregate_v<std::remove_cvref_t<A>> ||
                                       std::is_trivially_destructible_v<std::remove_cvref_t<A>>;

struct PromiseBase {
  std::coroutine_handle<> parent;  // set once the parent has really suspended on this frame
  std::exception_ptr error;

  static void* operator new(std::size_t n) { return FramePool::Allocate(n); }
  static void operator delete(void* p, std::size_t n) noexcept { FramePool::Free(p, n); }

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> h) const noexcept {
      const PromiseBase& p = h.promise();
      if (p.parent) next_to_resume = p.parent;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  Promise() = default;
  template <class... A>
  explicit Promise(A&...) {
    static_assert((kSafeParameter<A> && ...),
                  "types passed to a Task function need a constructor (g++ 12 aggregates)");
  }
  std::optional<T> value;
  Task<T> get_return_object() noexcept;
  template <class U = T>
  void return_value(U&& u) {
    value.emplace(std::forward<U>(u));
  }
  T Take() {
    if (error) std::rethrow_exception(error);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Promise() = default;
  template <class... A>
  explicit Promise(A&...) {
    static_assert((kSafeParameter<A> && ...),
                  "types passed to a Task function need a constructor (g++ 12 aggregates)");
  }
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void Take() const {
    if (error) std::rethrow_exception(error);
  }
};

}  // namespace internal

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle h) noexcept : handle_(h) {}
  Task(Task&& o) noexcept : handle_(std::exchange(o.handle_, {})) {}
  Task& operator=(Task&& o) noexcept {
    if (this != &o) {
      Reset();
      handle_ = std::exchange(o.handle_, {});
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { Reset(); }

  bool done() const { return !handle_ || handle_.done(); }
  Handle handle() const { return handle_; }  // for sim/ only
  void Reset() noexcept {
    if (handle_) std::exchange(handle_, {}).destroy();
  }

  auto operator co_await() && noexcept {
    struct Awaiter {
      Handle child;
      bool await_ready() const noexcept { return false; }
      bool await_suspend(std::coroutine_handle<> parent) const {
        child.resume();
        if (child.done()) return false;  // finished without waiting: carry on, no recursion
        child.promise().parent = parent;
        return true;
      }
      T await_resume() const { return child.promise().Take(); }
    };
    return Awaiter{handle_};
  }

 private:
  Handle handle_;
};

template <class T>
Task<T> internal::Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise>::from_promise(*this));
}
inline Task<void> internal::Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise>::from_promise(*this));
}

}  // namespace ksim::sim
