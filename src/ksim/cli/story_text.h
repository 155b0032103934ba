// StoryText: the words for one event of a trace.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/trace/record.h"

namespace ksim::cli {

struct StoryPart {
  StoryPart() = default;
  StoryPart(int s, std::string w) : step(s), text(std::move(w)) {}
  int step = 0;      // of the twelve; 0 = none of them
  std::string text;  // "": it gets no line
};

class StoryText {
 public:
  StoryText(const std::vector<trace::Record>& events, const api::Kinds& kinds);

  // True for a request, a write or an action on a container that is worth a line.
  bool IsAct(const trace::Record& r) const;
  StoryPart Describe(const trace::Record& r) const;
  // The command that a step stands for: kubectl create ReplicaSet/my-replicaset
  std::string CommandLine(const trace::Record& step) const;

  // Equal for events on the wire that say the same: by server, type, object and version. "" for
  // those that get no line.
  std::string NotificationKey(const trace::Record& r) const;
  const std::vector<const trace::Record*>& Notifications(const std::string& key) const;
  StoryPart DescribeNotification(const trace::Record& r,
                                 const std::vector<const trace::Record*>& all) const;
  // The clients of these events of one server: "kube-scheduler, kubelet/node-1".
  std::string Watchers(const std::vector<const trace::Record*>& events) const;

 private:
  StoryPart DescribeRequest(const trace::Record& r) const;
  StoryPart DescribeCommit(const trace::Record& r) const;
  StoryPart DescribeHandler(const trace::Record& r) const;
  int WriterStep(std::string_view by, int user, int controller, int scheduler, int kubelet) const;
  std::string ObjectText(std::string_view resource, std::string_view ns,
                         std::string_view name) const;
  std::string Path(const trace::Record& request) const;

  const api::Kinds& kinds_;
  std::map<std::int64_t, const trace::Record*> requests_;   // by id
  std::map<std::int64_t, const trace::Record*> commit_of_;  // by request id
  std::map<std::int64_t, const trace::Record*> commits_;    // by revision
  std::map<std::string, std::string> clients_;              // server/stream -> client
  std::map<std::string, std::vector<const trace::Record*>> notifications_;
};

// Every line of the text behind a prefix.
std::string Indent(std::string_view text, std::string_view prefix);

}  // namespace ksim::cli
