// Part of wasi.h: the calls about the process itself: arguments, clocks, random numbers, its end.
#include <algorithm>
#include <cstring>

#include "ksim/guest/wasi/errno.h"
#include "ksim/guest/wasi/wasi.h"

namespace ksim::guest {
namespace {

// A program that reads the clock so often without idling waits for it: it moves by a microsecond.
constexpr std::uint64_t kPatience = 20000;
constexpr std::int64_t kTick = 1000;

constexpr std::size_t kSubscription = 48, kEvent = 32;

}  // namespace

std::uint32_t Wasi::PutStrings(const std::vector<std::string>& all, std::uint64_t list,
                               std::uint64_t text) {
  for (const std::string& one : all) {
    if (!Put(list, static_cast<std::uint32_t>(text)) ||
        !PutText(text, std::string_view(one.c_str(), one.size() + 1)))
      return kEfault;
    list += 4;
    text += one.size() + 1;
  }
  return kSuccess;
}

std::uint32_t Wasi::PutSizes(const std::vector<std::string>& all, std::uint64_t count,
                             std::uint64_t size) {
  std::uint32_t bytes = 0;
  for (const std::string& one : all) bytes += static_cast<std::uint32_t>(one.size()) + 1;
  const bool put = Put(count, static_cast<std::uint32_t>(all.size())) && Put(size, bytes);
  return put ? kSuccess : kEfault;
}

std::uint32_t Wasi::ArgsGet(const std::uint64_t* w) { return PutStrings(state_.args, w[0], w[1]); }
std::uint32_t Wasi::ArgsSizesGet(const std::uint64_t* w) {
  return PutSizes(state_.args, w[0], w[1]);
}
std::uint32_t Wasi::EnvironGet(const std::uint64_t* w) {
  return PutStrings(state_.env, w[0], w[1]);
}
std::uint32_t Wasi::EnvironSizesGet(const std::uint64_t* w) {
  return PutSizes(state_.env, w[0], w[1]);
}

// The wall clock gives no nanosecond twice, as no real one does to a program that does something in
// between: client-go names an Event by it, and the second of one name would be refused.
//
// Source: client-go tools/record/event.go makeEvent.
std::uint32_t Wasi::ClockTimeGet(const std::uint64_t* w) {
  if (++state_.clock_reads % kPatience == 0) {
    state_.wall_ns += kTick;
    state_.steady_ns += kTick;
  }
  if (w[0] != 0) {
    // By as much as the wall clock is ahead, or who waits until a time of it would wake before.
    const std::int64_t ahead = std::max<std::int64_t>(0, state_.wall_read_ns - state_.wall_ns);
    state_.steady_read_ns = std::max(state_.steady_read_ns, state_.steady_ns + ahead);
    return Put(w[2], state_.steady_read_ns) ? kSuccess : kEfault;
  }
  state_.wall_read_ns = std::max(state_.wall_ns, state_.wall_read_ns + 1);
  return Put(w[2], state_.wall_read_ns) ? kSuccess : kEfault;
}

std::uint32_t Wasi::ClockResGet(const std::uint64_t* w) {
  return Put(w[1], std::uint64_t{1}) ? kSuccess : kEfault;
}

std::uint32_t Wasi::RandomGet(const std::uint64_t* w) {
  std::string bytes;
  const auto size = static_cast<std::uint32_t>(w[1]);
  if (!memory_->Holds(static_cast<std::uint32_t>(w[0]), size)) return kEfault;
  while (bytes.size() < size) {
    const std::uint64_t word = NextRandom();
    for (int i = 0; i < 8 && bytes.size() < size; ++i) bytes += static_cast<char>(word >> (8 * i));
  }
  return PutText(w[0], bytes) ? kSuccess : kEfault;
}

std::uint32_t Wasi::SchedYield(const std::uint64_t*) { return kSuccess; }

std::uint32_t Wasi::ProcExit(const std::uint64_t* w) {
  state_.exit_code = static_cast<std::uint32_t>(w[0]);
  return kSuccess;
}

std::uint32_t Wasi::Idle(const std::uint64_t* w) {
  state_.wake_ns = static_cast<std::int64_t>(w[0]);
  return kSuccess;
}

std::uint32_t Wasi::ReseedAsked(const std::uint64_t* w) {
  if (!state_.reseed) return 0;
  state_.reseed = false;
  for (std::uint64_t i = 0; i < 4; ++i) Put((w[0] & 0xffffffffu) + 8 * i, NextRandom());
  return state_.mixes ? 3 : 1;
}

std::uint32_t Wasi::SignalAsked(const std::uint64_t*) {
  if (state_.signals.empty()) return 0;
  const std::int32_t number = state_.signals.front();
  state_.signals.erase(state_.signals.begin());
  return static_cast<std::uint32_t>(number);
}

bool Wasi::IsReady(std::uint8_t type, std::uint32_t number, std::uint16_t* error,
                   std::uint64_t* bytes) {
  const Descriptor* open = state_.descriptors.Find(number);
  if (open == nullptr) {
    *error = kEbadf;
    return true;
  }
  if (type == 2) {
    *bytes = 65536;
    return true;
  }
  if (open->kind == DescriptorKind::kListener) return !open->waiting.empty();
  if (open->kind != DescriptorKind::kStream) return true;
  *bytes = open->in.size() - open->read;
  return *bytes > 0 || open->ended;
}

// Never waits: a program that nothing is ready for is told that its time is up, looks again, finds
// nothing to do and idles.
std::uint32_t Wasi::PollOneoff(const std::uint64_t* w) {
  const auto count = static_cast<std::uint32_t>(w[2]);
  std::uint32_t ready = 0;
  for (const bool clocks : {false, true}) {
    if (clocks && ready > 0) break;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t in = (w[0] & 0xffffffffu) + kSubscription * i;
      const auto type = Get<std::uint8_t>(in + 8);
      std::uint16_t error = kSuccess;
      std::uint64_t bytes = 0;
      if ((type == 0) != clocks) continue;
      if (!clocks && !IsReady(type, Get<std::uint32_t>(in + 16), &error, &bytes)) continue;
      char event[kEvent] = {};
      const auto user = Get<std::uint64_t>(in);
      std::memcpy(event, &user, sizeof user);
      std::memcpy(event + 8, &error, sizeof error);
      event[10] = static_cast<char>(type);
      std::memcpy(event + 16, &bytes, sizeof bytes);
      if (!PutText((w[1] & 0xffffffffu) + kEvent * ready, std::string_view(event, kEvent)))
        return kEfault;
      ++ready;
    }
  }
  return Put(w[3], ready) ? kSuccess : kEfault;
}

}  // namespace ksim::guest
