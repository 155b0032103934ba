// StoryText: the words for one event of a trace.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/kinds.h"
#include "ksim/cli/story/story_status.h"
#include "ksim/trace/record.h"

namespace ksim::cli {

class StoryText {
 public:
  StoryText(const std::vector<trace::Record>& events, const api::Kinds& kinds,
            const StoryStatus& status);

  // True for a request, a write or an action on a container that is worth a line.
  bool IsAct(const trace::Record& r) const;
  // "": it gets no line.
  std::string Describe(const trace::Record& r) const;
  // The command that a step stands for: kubectl create ReplicaSet/my-replicaset
  std::string CommandLine(const trace::Record& step) const;

  // Equal for events on the wire that say the same: by server, type, object and version. "" for
  // those that get no line.
  std::string NotificationKey(const trace::Record& r) const;
  const std::vector<const trace::Record*>& Notifications(const std::string& key) const;
  std::string DescribeNotification(const trace::Record& r,
                                   const std::vector<const trace::Record*>& all) const;
  // The clients of these events of one server: "kube-scheduler, kubelet/node-1".
  std::string Watchers(const std::vector<const trace::Record*>& events) const;

 private:
  std::string DescribeRequest(const trace::Record& r) const;
  std::string DescribeCommit(const trace::Record& r) const;
  std::string DescribeHandler(const trace::Record& r) const;
  std::string DescribeWebhook(const trace::Record& r) const;
  std::string ObjectText(std::string_view resource, std::string_view ns,
                         std::string_view name) const;
  std::string Path(const trace::Record& request) const;

  const api::Kinds& kinds_;
  const StoryStatus& status_;
  std::map<std::int64_t, const trace::Record*> requests_;   // by id
  std::map<std::int64_t, const trace::Record*> commit_of_;  // by request id
  std::map<std::string, std::string> clients_;              // server/stream -> client
  std::map<std::string, std::vector<const trace::Record*>> notifications_;
};

// Every line of the text behind a prefix.
std::string Indent(std::string_view text, std::string_view prefix);

}  // namespace ksim::cli
