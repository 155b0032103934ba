// The part of kernel.h that owns root tasks: it spawns them, kills them and takes in their ends.
#include <utility>

#include "ksim/base/check.h"
#include "ksim/sim/kernel.h"
#include "ksim/sim/ordering.h"
#include "ksim/sim/process.h"

namespace ksim::sim {

std::uint32_t Simulation::Kernel::NewRoot(Process& process, Task<void> task,
                                          const Context& context) {
  std::uint32_t index = free_root;
  if (index == kNone) {
    index = static_cast<std::uint32_t>(roots.size());
    GrowGently(roots);
    roots.emplace_back();
  } else {
    free_root = roots[index].newer;
  }
  const std::uint32_t slot = NewSlot(task.handle().address(), index);
  Root& root = roots[index];
  root.task = std::move(task);
  root.process = &process;
  root.cause = context.cause;
  root.actor = context.actor;
  root.background = context.background;
  root.unawaited = context.unawaited;
  root.slot = slot;
  root.newer = kNone;
  root.older = std::exchange(process.newest_root_, index);
  if (root.older != kNone) roots[root.older].newer = index;
  ++process.live_tasks_;
  return index;
}

// The task's own destructors may spawn, send and kill: so the root is out of all tables first.
void Simulation::Kernel::DestroyRoot(std::uint32_t index) {
  Root& root = roots[index];
  const std::uint32_t slot = root.slot;
  Task<void> task = std::move(root.task);
  (root.newer != kNone ? roots[root.newer].older : root.process->newest_root_) = root.older;
  if (root.older != kNone) roots[root.older].newer = root.newer;
  --root.process->live_tasks_;
  root.process = nullptr;
  ++root.generation;
  root.newer = free_root;
  free_root = index;
  task.Reset();
  FreeSlot(slot);
}

std::uint32_t Simulation::Kernel::NewCall(absl::AnyInvocable<void()>&& function,
                                          const Context& context, ChainId chain) {
  if (free_call == kNone) [[unlikely]]
    AddCalls();
  Call& call = CallAt(free_call);
  free_call = call.next_free;
  call.function = std::move(function);
  call.context = context;
  call.chain = chain;
  return call.slot;
}

void Simulation::Kernel::AddCalls() {
  const auto first = static_cast<std::uint32_t>(call_blocks.size()) * kCallsPerBlock;
  auto& block = *call_blocks.emplace_back(std::make_unique<std::array<Call, kCallsPerBlock>>());
  for (std::uint32_t i = kCallsPerBlock; i-- > 0;) {
    block[i].slot = NewSlot(nullptr, first + i);
    block[i].next_free = std::exchange(free_call, first + i);
  }
}

void Simulation::Kernel::FreeCall(std::uint32_t index) {
  Call& call = CallAt(index);
  call.function = nullptr;  // its end may schedule others
  call.timer_of = nullptr;
  call.next_free = std::exchange(free_call, index);
}

// Destroying a function may schedule nothing any more, but may ask about the simulation.
void Simulation::Kernel::DropCalls() {
  for (Slot& slot : slots) {
    if (slot.entries > 0) EndWait(slot);
  }
  queue.Filter([](const QueueEntry&) { return false; });
  if (ordering) ordering->Clear();
  dead = 0;
  for (const auto& block : call_blocks)
    for (Call& call : *block) call.function = nullptr;
  const std::vector<Deferred> dropped = std::exchange(deferred, {});
}

}  // namespace ksim::sim
