// Worker: a forked copy of this process that serves requests, one after the other. What it was
// before the fork it knows: only requests and answers cross the pipe. It dies with its parent, and
// does not hear the terminal's signals: the parent decides.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ksim/base/time.h"

namespace ksim::os {

class Worker {
 public:
  // Runs in the child: one request; `reply` sends an answer and may be called any number of times.
  using Reply = std::function<void(std::string_view)>;
  using Serve = std::function<void(std::string_view request, const Reply& reply)>;

  static absl::StatusOr<std::unique_ptr<Worker>> Start(const Serve& serve);
  ~Worker();  // kills it
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // While it serves nothing; a big request to a busy worker may block.
  absl::Status Send(std::string_view request);
  // An answer that has come whole; nullopt if there is none yet. Does not wait.
  std::optional<std::string> Take();
  // Its end of the pipe is closed: it has ended, and all its answers have been read.
  bool ended() const { return ended_; }
  // After ended or Kill: how. "exit code 70", "signal 9 (Killed)".
  std::string HowItEnded();
  bool killed_by_signal();
  int exit_code();  // -1: a signal
  void Kill();
  // Ends this process in the same way, for a worker that handed its work to another one.
  [[noreturn]] void EndLikewise();
  // Sends it a signal: SIGINT and SIGTERM it does not hear unless what it serves listens to them.
  void Signal(int signal);

 private:
  friend bool WaitForWorkers(const std::vector<Worker*>& workers, Duration timeout);
  Worker(int pid, int to, int from) : pid_(pid), to_(to), from_(from) {}
  void Read();
  void Reap();

  int pid_;
  int to_, from_;
  std::string in_;
  bool ended_ = false;
  bool reaped_ = false;
  int status_ = 0;
};

// Waits until one of them has sent something or ended. False: the time was up, or a signal came.
bool WaitForWorkers(const std::vector<Worker*>& workers, Duration timeout);

}  // namespace ksim::os
