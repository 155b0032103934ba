// FakeServer: an API server of one resource for tests of clients. It keeps a history of versions
// and serves lists and watches from any of them; a script can replace its answers.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/request.h"
#include "ksim/sim/simulation.h"

namespace ksim::client {

inline constexpr api::Compat kAll[] = {api::Compat::k1_25, api::Compat::k1_30, api::Compat::k1_36};

// A pod in namespace default unless the name says "ns/name".
api::Object Pod(std::string_view name, std::int64_t rv, std::string_view uid = "u",
                std::string_view label = "");

// The keys of the objects, in their order.
std::vector<std::string> Keys(const std::vector<api::Object>& objects);

// The resource of pods.
const api::ResourceInfo& Pods();

class FakeServer : public api::Endpoint {
 public:
  using Reply = absl::AnyInvocable<void(api::Response)>;
  struct Call {
    api::Request request;
    Reply reply;
    std::shared_ptr<api::WatchSink> sink;
  };

  // --- content ---
  void Put(std::string_view name, std::string_view label = "");  // create or update; next version
  void Recreate(std::string_view name);  // delete and create in one version: another uid
  void Remove(std::string_view name);
  void Compact() { floor_ = rv_; }
  std::int64_t rv() const { return rv_; }
  void set_rv(std::int64_t rv) { rv_ = rv; }
  std::map<std::string, api::Object> StateAt(std::int64_t rv) const;

  // --- streams ---
  void SendBookmark();
  void SendError(const api::Status& status);  // ERROR event and end, on all streams
  void SendRaw(const api::WatchEvent& event);
  void EndStreams(api::StreamEnd how);
  std::size_t open_streams() const { return streams_.size(); }
  std::vector<std::uint64_t> closed_by_client;

  // --- scripts: taken before the default behaviour, one a request of that verb ---
  using Step = std::function<void(Call)>;
  void Next(api::Verb verb, Step step) { scripts_[verb].push_back(std::move(step)); }
  void Answer(api::Verb verb, api::Status status);  // the next request of this verb fails so
  void Hang(api::Verb verb);                        // is never answered
  void Drop(api::Verb verb);                        // the server dies before the answer
  std::vector<Call> hanging;

  bool up = true;
  bool watch_list = true;  // knows sendInitialEvents
  bool pages = true;       // honours limit
  // The requests in the order of arrival: "list rv=0 limit=500", "watch rv=7", ...
  std::vector<std::string> log;
  std::vector<api::Request> requests;

  const std::string& name() const override { return name_; }
  bool accepting() const override { return up; }
  void Accept(api::Request request, Reply reply, std::shared_ptr<api::WatchSink> sink) override;
  void CloseWatch(std::uint64_t stream) override;

 private:
  struct Version {
    std::int64_t rv;
    api::WatchEventType type;
    api::Object object;
  };
  struct Stream {
    std::shared_ptr<api::WatchSink> sink;
    std::uint64_t n = 0;
  };
  void Commit(api::WatchEventType type, const api::Object& object);
  void Write(Stream& stream, api::WatchEvent event);
  void List(Call call);
  void Watch(Call call);
  void SendInitialState(Stream& stream);

  std::string name_ = "kube-apiserver-0";
  std::int64_t rv_ = 0;
  std::int64_t floor_ = 0;
  std::uint64_t next_uid_ = 1;
  std::vector<Version> history_;
  std::map<std::string, std::string> uids_;
  std::map<std::uint64_t, Stream> streams_;
  std::uint64_t next_stream_ = 1;
  std::map<api::Verb, std::deque<Step>> scripts_;
};

}  // namespace ksim::client
