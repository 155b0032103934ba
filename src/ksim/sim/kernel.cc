#include "ksim/sim/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "ksim/base/check.h"
#include "ksim/sim/ordering.h"
#include "ksim/sim/process.h"

namespace ksim::sim {
namespace {

// Room for the tasks and calls of a small cluster, so that its tables need not grow.
constexpr std::size_t kUsualRoots = 256, kUsualCalls = 128;

// Exceptions cross no module: one that leaves an actor or a call is a bug, and named.
[[noreturn]] void CrashWith(std::string_view who, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    Crash(__FILE__, __LINE__, who, e.what());
  } catch (...) {
    Crash(__FILE__, __LINE__, who, "an exception of an unknown type");
  }
}

}  // namespace

Simulation::Kernel::Kernel(Simulation& s) : sim(s) {
  slots.reserve(kUsualRoots + kUsualCalls);
  roots.reserve(kUsualRoots);
}

Simulation::Kernel::~Kernel() = default;

void Simulation::Kernel::AddSlot() {
  free_slot = static_cast<std::uint32_t>(slots.size());
  GrowGently(slots);
  slots.emplace_back();
}

void Simulation::Kernel::DropEntries(Slot& slot) {
  sim.pending_work_ -= slot.work;
  dead += slot.entries;
  died += slot.entries;
  slot.entries = slot.work = 0;
  if (dead > 64 && dead * 2 > queue.size()) DropDead();
}

void Simulation::Kernel::DropDead() {
  queue.Filter([&](const QueueEntry& e) { return Live(e); });
  if (ordering) ordering->DropDead();
  dead = 0;
}

void Simulation::Kernel::Enqueue(std::uint32_t index, VirtualTime at, TimerKind kind,
                                 const char* label) {
  Slot& slot = slots[index];
  const bool work = kind == TimerKind::kWork;
  slot.label = Packed(label);
  ++slot.entries;
  slot.work = static_cast<std::uint8_t>(slot.work + work);
  sim.pending_work_ += work;
  const QueueEntry e{static_cast<std::uint64_t>(at.ns()), next_sequence | std::uint64_t{work},
                     index, slot.generation};
  next_sequence += 2;
  if (ordering && ordering->Stage(e)) [[unlikely]]
    return;
  queue.Push(e);
}

// They are queued anew. Timers that an Ordering holds already are due at this very time.
void Simulation::Kernel::Retime(const Process& process, const TurnedClock& before,
                                const TurnedClock& after) {
  const auto now = static_cast<std::uint64_t>(sim.now_.ns());
  std::vector<QueueEntry> timers;
  queue.Filter([&](const QueueEntry& e) {
    const bool timer = Live(e) && e.time > now && IsTimerOf(process, slots[e.slot]);
    if (timer) timers.push_back(e);
    return !timer;
  });
  std::sort(timers.begin(), timers.end(), [](const QueueEntry& a, const QueueEntry& b) {
    return std::pair(a.time, a.sequence) < std::pair(b.time, b.sequence);
  });
  for (QueueEntry& e : timers) {
    const VirtualTime shows = before.Steady(VirtualTime(static_cast<std::int64_t>(e.time)));
    e.time = std::max(now, static_cast<std::uint64_t>(after.WhenSteady(shows).ns()));
    e.sequence = next_sequence | std::uint64_t{IsWork(e)};
    next_sequence += 2;
    if (!ordering || !ordering->Stage(e)) queue.Push(e);
  }
}

std::int32_t Simulation::Kernel::NumberOfFar(const char* label) {
  const auto it = std::find(far_labels.begin(), far_labels.end(), label);
  const auto number = static_cast<std::int32_t>(it - far_labels.begin());
  if (it == far_labels.end()) far_labels.push_back(label);
  return 2 * number + 1;
}

std::vector<std::string> Simulation::Kernel::DescribeWork(std::size_t max) const {
  std::vector<QueueEntry> work;
  const auto add = [&](const QueueEntry& e) {
    if (IsWork(e) && Live(e)) work.push_back(e);
  };
  queue.ForEach(add);
  if (ordering) ordering->ForEach(add);
  std::sort(work.begin(), work.end(), [](const QueueEntry& a, const QueueEntry& b) {
    return std::pair(a.time, a.sequence) < std::pair(b.time, b.sequence);
  });
  const std::uint64_t holds = sim.pending_work_ - work.size();
  if (work.size() > max) work.resize(max);
  std::vector<std::string> lines;
  for (const QueueEntry& e : work) {
    const Slot& slot = slots[e.slot];
    const ActorId actor =
        slot.frame != nullptr ? roots[slot.owner].actor : CallAt(slot.owner).context.actor;
    lines.push_back(fmt::format("{}  {}  due {}", Unpacked(slot.label), actor.name(),
                                FormatTime(VirtualTime(static_cast<std::int64_t>(e.time)))));
  }
  if (holds > 0 && lines.size() < max) lines.push_back(fmt::format("{} held", holds));
  return lines;
}

void Simulation::Kernel::Run(std::uint32_t index, bool work) {
  Slot& slot = slots[index];
  --slot.entries;
  if (work) {
    --slot.work;
    --sim.pending_work_;
    sim.last_work_ = sim.now_;
  }
  in_step = true;
  EndWait(slot);
  if (slot.frame != nullptr) {
    RunRoot(index);
  } else {
    RunCall(slot.owner);
  }
  in_step = false;
}

void Simulation::Kernel::RunRoot(std::uint32_t slot) {
  const std::uint32_t index = slots[slot].owner;
  Context& context = sim.context_;
  {
    const Root& root = roots[index];
    // One by one: a Context that is put together first would be written in parts and read as a
    // whole, which the processor waits for.
    context.process = root.process;
    context.actor = root.actor;
    context.cause = root.cause;
    context.background = root.background;
    context.unawaited = root.unawaited;
  }
  current_slot = slot;
  internal::Resume(std::coroutine_handle<>::from_address(slots[slot].frame));
  current_slot = kNone;
  Root& root = roots[index];  // the table may have grown
  if (!root.task.done()) {
    root.actor = context.actor;
    root.cause = context.cause;
    root.background = context.background;
    root.unawaited = context.unawaited;
    return;
  }
  if (const std::exception_ptr& error = root.task.handle().promise().error)
    CrashWith("a task ended with an exception", error);
  DestroyRoot(index);
}

void Simulation::Kernel::RunCall(std::uint32_t index) {
  Call& call = CallAt(index);
  sim.context_ = call.context;
  try {
    call.function();
  } catch (...) {
    CrashWith("a scheduled call threw", std::current_exception());
  }
  FreeCall(index);
}

void Simulation::Kernel::RunAllDeferred() {
  while (deferred_done < deferred.size()) {
    Deferred d = std::move(deferred[deferred_done++]);
    sim.context_ = d.context;
    try {
      d.function();
    } catch (...) {
      CrashWith("a deferred call threw", std::current_exception());
    }
  }
  deferred.clear();
  deferred_done = 0;
}

}  // namespace ksim::sim
