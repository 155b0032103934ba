#include "tests/client/fake_server.h"

#include <fmt/format.h>

#include <utility>

namespace ksim::client {

std::vector<std::string> Keys(const std::vector<api::Object>& objects) {
  std::vector<std::string> keys;
  for (const api::Object& o : objects) keys.push_back(o.key());
  return keys;
}

using value::Value;

const api::ResourceInfo& Pods() {
  static const api::Kinds kinds;
  return *kinds.ByName("pods");
}

api::Object Pod(std::string_view name, std::int64_t rv, std::string_view uid,
                std::string_view label) {
  std::string_view ns = "default";
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    ns = name.substr(0, slash);
    name = name.substr(slash + 1);
  }
  Value tree = value::Obj(
      {{"apiVersion", Value::Of("v1")},
       {"kind", Value::Of("Pod")},
       {"metadata", value::Obj({{"name", Value::String(name)},
                                {"namespace", Value::String(ns)},
                                {"uid", Value::String(uid)},
                                {"labels", value::Obj({{"app", Value::String(label)}})}})}});
  return api::Object::FromTree(tree, rv);
}

void FakeServer::Put(std::string_view name, std::string_view label) {
  const api::Object probe = Pod(name, 0);
  const auto [it, fresh] = uids_.try_emplace(probe.key());
  if (fresh) it->second = fmt::format("u{}", next_uid_++);
  Commit(fresh ? api::WatchEventType::kAdded : api::WatchEventType::kModified,
         Pod(name, ++rv_, it->second, label));
}

void FakeServer::Remove(std::string_view name) {
  const api::Object probe = Pod(name, 0);
  const auto it = uids_.find(probe.key());
  if (it == uids_.end()) return;
  const std::string uid = it->second;
  uids_.erase(it);
  Commit(api::WatchEventType::kDeleted, Pod(name, ++rv_, uid));
}

void FakeServer::Recreate(std::string_view name) {
  Remove(name);
  Put(name);
}

void FakeServer::Commit(api::WatchEventType type, const api::Object& object) {
  history_.push_back(Version{rv_, type, object});
  for (auto& [id, stream] : streams_) {
    api::WatchEvent event;
    event.type = type;
    event.object = object;
    Write(stream, std::move(event));
  }
}

std::map<std::string, api::Object> FakeServer::StateAt(std::int64_t rv) const {
  std::map<std::string, api::Object> state;
  for (const Version& v : history_) {
    if (v.rv > rv) break;
    if (v.type == api::WatchEventType::kDeleted) {
      state.erase(v.object.key());
    } else {
      state[v.object.key()] = v.object;
    }
  }
  return state;
}

void FakeServer::Write(Stream& stream, api::WatchEvent event) {
  event.n = ++stream.n;
  stream.sink->Send(std::move(event));
}

void FakeServer::SendRaw(const api::WatchEvent& event) {
  for (auto& [id, stream] : streams_) Write(stream, event);
}

namespace {

api::WatchEvent Bookmark(std::int64_t rv, bool initial_end) {
  Value tree = value::Obj({{"apiVersion", Value::Of("v1")}, {"kind", Value::Of("Pod")}});
  api::WatchEvent event;
  event.type = api::WatchEventType::kBookmark;
  event.object = api::Object::FromTree(tree, rv);
  event.initial_end = initial_end;
  return event;
}

}  // namespace

void FakeServer::SendBookmark() { SendRaw(Bookmark(rv_, false)); }

void FakeServer::SendError(const api::Status& status) {
  SendRaw(api::WatchEvent::OfError(status));
  EndStreams(api::StreamEnd::kEof);
}

void FakeServer::EndStreams(api::StreamEnd how) {
  for (auto& [id, stream] : std::exchange(streams_, {})) stream.sink->Close(how);
}

void FakeServer::Answer(api::Verb verb, api::Status status) {
  Next(verb, [status = std::move(status)](Call call) {
    api::Response response;
    response.code = status.code;
    response.status = status;
    call.reply(std::move(response));
  });
}

void FakeServer::Hang(api::Verb verb) {
  Next(verb, [this](Call call) { hanging.push_back(std::move(call)); });
}

void FakeServer::Drop(api::Verb verb) {
  Next(verb, [](Call) {});
}

void FakeServer::CloseWatch(std::uint64_t stream) {
  closed_by_client.push_back(stream);
  streams_.erase(stream);
}

void FakeServer::Accept(api::Request request, Reply reply, std::shared_ptr<api::WatchSink> sink) {
  std::string line(api::ToString(request.verb));
  const api::ListOptions& l = request.list;
  if (request.verb == api::Verb::kList || request.verb == api::Verb::kWatch) {
    line += fmt::format(" rv={}", l.resource_version);
    if (l.limit != 0) line += fmt::format(" limit={}", l.limit);
    if (!l.continue_token.empty()) line += fmt::format(" continue={}", l.continue_token);
    if (l.send_initial_events) line += " initial";
  } else {
    line += fmt::format(" {}", request.name);
  }
  log.push_back(line);
  requests.push_back(request);
  Call call{std::move(request), std::move(reply), std::move(sink)};
  std::deque<Step>& script = scripts_[call.request.verb];
  if (!script.empty()) {
    Step step = std::move(script.front());
    script.pop_front();
    return step(std::move(call));
  }
  if (call.request.verb == api::Verb::kList) return List(std::move(call));
  if (call.request.verb == api::Verb::kWatch) return Watch(std::move(call));
  api::Response response;
  response.object = api::Object::FromTree(call.request.WholeBody(), ++rv_);
  call.reply(std::move(response));
}

void FakeServer::List(Call call) {
  const api::ListOptions& l = call.request.list;
  api::Response response;
  response.list_rv = rv_;
  const std::map<std::string, api::Object> state = StateAt(rv_);
  for (auto it = state.upper_bound(l.continue_token.str()); it != state.end(); ++it) {
    if (pages && l.limit > 0 && response.items.size() == static_cast<std::size_t>(l.limit)) {
      response.continue_token = response.items.back().key();
      break;
    }
    response.items.push_back(it->second);
  }
  call.reply(std::move(response));
}

void FakeServer::Watch(Call call) {
  const api::ListOptions& l = call.request.list;
  const bool initial = l.send_initial_events.value_or(false);
  if (initial && !watch_list) {
    api::Response response;
    response.status = api::Invalid("meta.k8s.io", "ListOptions", "", {});
    response.code = response.status.code;
    return call.reply(std::move(response));
  }
  const std::int64_t from = l.resource_version.empty() ? 0 : std::stoll(l.resource_version.str());
  const std::uint64_t id = next_stream_++;
  api::Response response;
  response.stream = id;
  call.reply(std::move(response));
  Stream& stream = streams_[id];
  stream.sink = std::move(call.sink);
  if (initial) return SendInitialState(stream);
  if (from < floor_) {
    Write(stream, api::WatchEvent::OfError(api::Expired("too old resource version")));
    stream.sink->Close(api::StreamEnd::kEof);
    streams_.erase(id);
    return;
  }
  for (const Version& v : history_) {
    if (v.rv <= from) continue;
    api::WatchEvent event;
    event.type = v.type;
    event.object = v.object;
    Write(stream, std::move(event));
  }
}

void FakeServer::SendInitialState(Stream& stream) {
  for (const auto& [key, object] : StateAt(rv_)) {
    api::WatchEvent event;
    event.object = object;
    Write(stream, std::move(event));
  }
  Write(stream, Bookmark(rv_, true));
}

}  // namespace ksim::client
