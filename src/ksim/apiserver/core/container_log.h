// Logs of containers as a kubelet gives them out: which run of a container a request is about,
// which of its lines, and who keeps them. `kubectl logs` and the door for HTTP share it.
//
// Source: pkg/kubelet/kubelet_pods.go validateContainerLogStatus, pkg/kubelet/kuberuntime/logs
// logs.go (ReadLogs, logWriter).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/object.h"
#include "ksim/base/time.h"

namespace ksim::apiserver {

struct LogLine {
  LogLine() = default;
  LogLine(VirtualTime t, std::string s) : time(t), text(std::move(s)) {}
  VirtualTime time;
  std::string text;
};

// A run of a container, by the second of its start.
struct LogRun {
  LogRun() = default;
  LogRun(VirtualTime s, bool e) : started(s), ended(e) {}
  VirtualTime started;
  bool ended = false;  // of several in that second the last that is over and is not the newest
};

// The run whose log is asked for, by the pod's status; nullopt with `refusal` set if there is none.
std::optional<LogRun> FindLogRun(const api::Object& pod, std::string_view container, bool previous,
                                 std::string* refusal);

struct LogReading {
  LogReading() = default;
  bool timestamps = false;
  std::optional<VirtualTime> since;
  std::optional<std::int64_t> tail;   // lines; nothing or -1: all
  std::optional<std::int64_t> limit;  // bytes
};

// Writes lines as they are read, one after the other, to the end of the limit.
class LogWriter {
 public:
  explicit LogWriter(const LogReading& reading) : reading_(reading) {}
  void Write(const LogLine& line, std::string* out);
  bool full() const { return reading_.limit && written_ >= *reading_.limit; }

 private:
  LogReading reading_;
  std::int64_t written_ = 0;
};
// The lines that the reading asks for, each with its newline.
std::string WriteLog(const std::vector<LogLine>& lines, const LogReading& reading);

// The files that nodes keep: a log for each run of a container.
class NodeLogs {
 public:
  class Follower {
   public:
    virtual ~Follower() = default;
    virtual void Take(const LogLine& line) = 0;
    virtual void End() = 0;  // the run is over; called last
  };

  virtual ~NodeLogs() = default;
  virtual std::vector<LogLine> Lines(const api::Object& pod, std::string_view container,
                                     const LogRun& run) const = 0;
  // Hands on what the run prints from now on, as long as the follower is there. False: it is over.
  virtual bool Follow(const api::Object& pod, std::string_view container, const LogRun& run,
                      std::weak_ptr<Follower> follower) = 0;
};

}  // namespace ksim::apiserver
