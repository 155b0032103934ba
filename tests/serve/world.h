// A served cluster whose clients are lines of a test.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/apiserver/doors/http/response_writer.h"
#include "ksim/scenario/load.h"
#include "ksim/serve/served_cluster.h"
#include "ksim/value/json.h"

namespace ksim::serve {

// Takes what a client outside would read.
class Reader final : public apiserver::http::ResponseWriter {
 public:
  using StreamId = apiserver::http::StreamId;
  struct Answer {
    int code = 0;
    std::string body;
    bool ended = false, reset = false;
  };
  void Respond(StreamId stream, apiserver::http::HttpResponse response) override {
    answers[stream] = {response.code, std::move(response.body), true, false};
  }
  void Begin(StreamId stream, apiserver::http::HttpResponse head) override {
    answers[stream].code = head.code;
  }
  void Write(StreamId stream, std::string_view piece) override { answers[stream].body += piece; }
  void End(StreamId stream) override { answers[stream].ended = true; }
  void Reset(StreamId stream) override { answers[stream].reset = true; }

  std::map<StreamId, Answer> answers;
};

inline scenario::Scenario ScenarioOf(const std::string& spec) {
  scenario::LoadOptions options;
  options.read = [&spec](const std::string&) {
    return "apiVersion: ksim.dev/v1\nkind: Scenario\nmetadata: {name: served}\nspec:\n" + spec;
  };
  scenario::Loaded loaded = scenario::Load({"served.yaml"}, options);
  EXPECT_TRUE(loaded.errors.empty()) << Render(loaded.errors, false);
  return loaded.scenarios.at(0);
}

class Served {
 public:
  explicit Served(const std::string& spec = "  cluster: {nodes: 1}\n")
      : scenario(ScenarioOf(spec)), cluster(scenario, scenario::RunnerOptions()) {
    cluster.Attach(1, reader);
    cluster.Begin();
  }

  // Sends a request; its stream.
  apiserver::http::StreamId Send(const std::string& method, const std::string& target,
                                 std::string body = "",
                                 const std::string& type = "application/json",
                                 const std::string& agent = "kubectl/v1.30") {
    Input input;
    input.connection = 1;
    input.stream = next++;
    input.request.method = method;
    input.request.target = target;
    input.request.headers.Add("Accept", "application/json");
    if (!body.empty()) input.request.headers.Add("Content-Type", type);
    input.request.headers.Add("User-Agent", agent);
    input.request.body = std::move(body);
    const auto stream = input.stream;
    Give(std::move(input));
    return stream;
  }
  void Give(Input input) {
    Advance(Nanoseconds(1));
    cluster.Take(std::move(input));
  }
  void Act(Input::What what, apiserver::http::StreamId stream, std::string text = "") {
    Input input;
    input.what = what;
    input.connection = 1;
    input.stream = stream;
    input.text = std::move(text);
    Give(std::move(input));
  }
  void Advance(Duration by) {
    EXPECT_EQ(cluster.AdvanceTo(cluster.now() + by), sim::Simulation::Stop::kTimeReached);
  }
  // Sends a request and waits for its answer.
  Reader::Answer Ask(const std::string& method, const std::string& target, std::string body = "",
                     const std::string& type = "application/json") {
    const auto stream = Send(method, target, std::move(body), type);
    Advance(Seconds(1));
    return reader.answers[stream];
  }

  scenario::Scenario scenario;
  Reader reader;  // outlives the cluster, which writes to it
  ServedCluster cluster;
  apiserver::http::StreamId next = 1;
};

inline value::Value Json(const std::string& text) { return value::ParseJson(text).value(); }

// The types and names of a watch's events: "ADDED a, MODIFIED a".
inline std::string EventsOf(const std::string& body) {
  std::string out;
  for (std::size_t begin = 0; begin < body.size();) {
    const std::size_t end = body.find('\n', begin);
    const value::Value event = Json(body.substr(begin, end - begin));
    if (!out.empty()) out += ", ";
    out += std::string(event.Get("type").AsString()) + " " +
           std::string(event.Get("object").Get("metadata").Get("name").AsString());
    begin = end + 1;
  }
  return out;
}

}  // namespace ksim::serve
