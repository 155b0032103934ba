#include "ksim/apiserver/doors/http/http_door.h"

#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "ksim/apiserver/doors/http/bodies.h"
#include "ksim/apiserver/doors/http/discovery.h"
#include "ksim/apiserver/doors/http/openapi.h"
#include "ksim/apiserver/doors/http/options.h"
#include "ksim/apiserver/doors/http/routes.h"
#include "ksim/apiserver/doors/http/text.h"

namespace ksim::apiserver::http {
namespace {

using value::Value;

// The bodies that a kind's endpoint speaks.
std::span<const MediaType> MediaTypesOf(const api::ResourceInfo* resource) {
  return resource != nullptr && resource->custom ? CustomMediaTypes() : BuiltinMediaTypes();
}

std::optional<api::PatchType> PatchTypeOf(std::string_view content_type) {
  const std::optional<std::string> bare = BareMediaType(content_type);
  if (!bare.has_value()) return std::nullopt;
  if (*bare == "application/json-patch+json") return api::PatchType::kJson;
  if (*bare == "application/merge-patch+json") return api::PatchType::kMerge;
  if (*bare == "application/strategic-merge-patch+json") return api::PatchType::kStrategic;
  if (*bare == "application/apply-patch+yaml") return api::PatchType::kApply;
  return std::nullopt;
}

// A patch of an unknown form: the forms that the endpoint takes (patch.go PatchResource).
api::Status UnknownPatch(const api::ResourceInfo& resource) {
  std::string forms = "application/json-patch+json, application/merge-patch+json";
  if (!resource.custom) forms += ", application/strategic-merge-patch+json";
  forms += ", application/apply-patch+yaml";
  return api::UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: " + forms);
}

void AddWarnings(const api::Response& response, HttpResponse* http) {
  for (const std::string& warning : response.warnings) {
    std::string quoted;
    for (const char c : warning) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c == '\n' || c == '\r' ? ' ' : c;
    }
    http->headers.Add("Warning", fmt::format("299 - \"{}\"", quoted));
  }
}

// The options of a delete that came as a body.
void TakeDeleteOptions(const Value& body, api::Request* request) {
  api::DeleteOptions& options = request->del;
  if (const Value& grace = body.Get("gracePeriodSeconds"); !grace.is_null()) {
    options.grace_period_seconds = grace.AsInt();
  }
  if (const Value& policy = body.Get("propagationPolicy"); policy.is_string()) {
    options.propagation_policy = policy.AsString();
  }
  if (const Value& orphan = body.Get("orphanDependents"); !orphan.is_null()) {
    options.orphan_dependents = orphan.AsBool();
  }
  const Value& preconditions = body.Get("preconditions");
  if (preconditions.Get("uid").is_string()) {
    options.uid = SharedText(preconditions.Get("uid").AsString());
  }
  if (preconditions.Get("resourceVersion").is_string()) {
    options.resource_version = SharedText(preconditions.Get("resourceVersion").AsString());
  }
  if (!body.Get("dryRun").empty()) request->dry_run = true;
}

}  // namespace

// Exchange keeps of a request what its answer needs.
struct HttpDoor::Session::Exchange {
  const api::ResourceInfo* resource = nullptr;
  api::Verb verb = api::Verb::kGet;
  OutputType type;
  TableOptions table;
};

// The session's open streams. Replies that come after the session has gone find none.
struct HttpDoor::Session::Streams {
  Connection* connection = nullptr;           // null: the session is gone
  std::map<StreamId, std::uint64_t> watches;  // the numbers of served watches
};

// One watch: events become lines of the response.
class HttpDoor::Session::Watch final : public api::WatchSink {
 public:
  Watch(std::shared_ptr<Streams> streams, StreamId stream, Exchange exchange, sim::Simulation& sim)
      : streams_(std::move(streams)), stream_(stream), exchange_(std::move(exchange)), sim_(sim) {}

  bool Send(api::WatchEvent event) override {
    if (streams_->connection == nullptr) return true;
    const auto tree =
        TransformedEvent(*exchange_.resource, event, exchange_.type, exchange_.table, sim_.now());
    if (!tree.ok()) return true;
    exchange_.table.no_headers = true;  // only the first event's table has its columns
    streams_->connection->Write(stream_, EncodeEvent(*tree, exchange_.type.media->encoding));
    return streams_->connection->held(stream_) < kRoom;
  }
  void Close(api::StreamEnd how) override {
    if (streams_->connection == nullptr) return;
    streams_->watches.erase(stream_);
    if (how == api::StreamEnd::kReset) {
      streams_->connection->Reset(stream_);
    } else {
      streams_->connection->End(stream_);
    }
  }

 private:
  // As much as Go's HTTP/2 server lets wait before the handler blocks.
  static constexpr std::size_t kRoom = std::size_t{4} << 20;

  std::shared_ptr<Streams> streams_;
  const StreamId stream_;
  Exchange exchange_;
  sim::Simulation& sim_;
};

std::unique_ptr<HttpDoor::Session> HttpDoor::Open(const ConnectionLimits& limits) {
  return std::make_unique<Session>(*this, limits);
}

HttpDoor::Session::Session(HttpDoor& door, const ConnectionLimits& limits)
    : door_(door),
      connection_(MakeConnection(*this, limits)),
      streams_(std::make_shared<Streams>()) {
  streams_->connection = connection_.get();
}

HttpDoor::Session::~Session() {
  connection_->Close();
  streams_->connection = nullptr;
}

void HttpDoor::Session::OnGone(StreamId stream) {
  const auto found = streams_->watches.find(stream);
  if (found == streams_->watches.end()) return;
  const std::uint64_t watch = found->second;
  streams_->watches.erase(found);
  door_.pipeline_.CloseWatch(watch);
}

void HttpDoor::Session::OnRequest(StreamId stream, HttpRequest request) {
  const std::optional<Url> url = ParseTarget(request.target);
  if (!url.has_value()) {
    HttpResponse response;
    response.code = 400;
    response.headers.Add("Content-Type", "text/plain; charset=utf-8");
    response.body = "400 Bad Request";
    connection_->Respond(stream, std::move(response));
    return;
  }
  const RequestInfo info = ReadRequestInfo(request.method, *url);
  if (info.is_resource_request) {
    ServeResource(stream, request, *url, info);
    return;
  }
  ServePath(stream, request, *url, info);
}

// Paths that name no resource.
void HttpDoor::Session::ServePath(StreamId stream, const HttpRequest& http, const Url& url,
                                  const RequestInfo& info) {
  std::string_view rest = Trim(info.path, "/");
  const std::string_view first = Cut(rest, '/');
  const std::string_view group = first == "apis" ? Cut(rest, '/') : std::string_view();
  Value tree;
  OutputType type;
  std::string media_type;
  if (first == "healthz" || first == "livez" || first == "readyz") {
    HttpResponse response;
    response.headers.Add("Content-Type", "text/plain; charset=utf-8");
    response.headers.Add("X-Content-Type-Options", "nosniff");
    response.body = "ok";
    connection_->Respond(stream, std::move(response));
    return;
  }
  if (first == "version") {
    tree = VersionInfo(door_.options_.compat);
  } else if ((first == "api" || first == "apis") && rest.empty() && group.empty()) {
    // Aggregated discovery for who asks for it (from 1.26 on).
    for (const AcceptClause& clause : ParseAccept(http.headers.Get("Accept"))) {
      if (clause.Parameter("as") != "APIGroupDiscoveryList" ||
          clause.Parameter("g") != "apidiscovery.k8s.io") {
        continue;
      }
      const std::string_view version = clause.Parameter("v");
      if (version != "v2" && version != "v2beta1") continue;
      tree = AggregatedDiscovery(door_.kinds_, first == "api", version);
      media_type = fmt::format(
          "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList", version);
      break;
    }
    if (tree.is_null()) tree = first == "api" ? ApiVersions() : ApiGroupList(door_.kinds_);
  } else if (first == "api") {
    tree = ApiResourceList(door_.kinds_, "", rest);
  } else if (first == "apis" && rest.empty()) {
    tree = ApiGroup(door_.kinds_, group);
  } else if (first == "apis") {
    tree = ApiResourceList(door_.kinds_, group, rest);
  } else if (first == "openapi" && rest == "v3") {
    tree = OpenApiIndex(door_.kinds_);
  } else if (first == "openapi" && rest.starts_with("v3/")) {
    rest.remove_prefix(3);
    const bool core = Cut(rest, '/') == "api";
    const std::string_view named = core ? std::string_view() : Cut(rest, '/');
    tree = OpenApiDocument(door_.kinds_, named, rest);
  }
  if (tree.is_null()) {
    HttpResponse response;
    response.code = 404;
    response.headers.Add("Content-Type", "text/plain; charset=utf-8");
    response.headers.Add("X-Content-Type-Options", "nosniff");
    response.body = "404 page not found\n";
    connection_->Respond(stream, std::move(response));
    return;
  }
  const auto output =
      NegotiateOutput(http, url.query, CustomMediaTypes(), Transforms::kNone, false);
  if (media_type.empty() && !output.ok()) return RespondStatus(stream, output.status(), nullptr);
  const bool json = !output.ok() || output->media->encoding == Encoding::kJson;
  HttpResponse response;
  response.headers.Add("Cache-Control", "no-cache, private");
  response.headers.Add("Content-Type", !media_type.empty() ? media_type : output->media->text());
  response.body =
      Encode(tree, json ? Encoding::kJson : Encoding::kYaml, output.ok() && output->pretty);
  connection_->Respond(stream, std::move(response));
}

void HttpDoor::Session::RespondStatus(StreamId stream, const api::Status& status,
                                      const OutputType* type) {
  HttpResponse response;
  response.code = status.code;
  const bool known = type != nullptr && type->media != nullptr;
  const Encoding encoding = known ? type->media->encoding : Encoding::kJson;
  response.headers.Add("Content-Type", known ? type->media->text() : "application/json");
  response.headers.Add("Cache-Control", "no-cache, private");
  if (status.details->retry_after_seconds > 0) {
    response.headers.Add("Retry-After", fmt::format("{}", status.details->retry_after_seconds));
  }
  response.body = Encode(status.ToTree(), encoding, known ? type->pretty : true);
  connection_->Respond(stream, std::move(response));
}

// Fills in the request. What is refused before the pipeline sees it comes back as a Status.
api::Status HttpDoor::Session::ReadRequest(const HttpRequest& http, const Url& url,
                                           Exchange* exchange, api::Request* request) const {
  const bool watch = request->verb == api::Verb::kWatch;
  const auto output = NegotiateOutput(http, url.query, MediaTypesOf(request->resource),
                                      Transforms::kResources, false);
  if (!output.ok()) return output.status();
  exchange->type = *output;
  if (exchange->type.as == "Table") {
    if (api::Status s = ReadTableOptions(url.query, &exchange->table); !s.ok()) return s;
  }
  switch (request->verb) {
    case api::Verb::kGet:
      return ReadGetOptions(url.query, &request->list);
    case api::Verb::kList:
    case api::Verb::kWatch: {
      bool asked = false;
      if (api::Status s = ReadListOptions(url.query, &request->list, &asked); !s.ok()) return s;
      if (watch && !exchange->type.media->streams) {
        return NegotiateOutput(http, url.query, MediaTypesOf(request->resource),
                               Transforms::kResources, true)
            .status();
      }
      if (!request->name.empty() && request->list.field_selector.empty()) {
        request->list.field_selector =
            SharedText("metadata.name=" + std::string(request->name.view()));
      }
      request->name = SharedText();
      return {};
    }
    case api::Verb::kDelete:
    case api::Verb::kDeleteCollection: {
      bool asked = false;
      if (request->verb == api::Verb::kDeleteCollection) {
        if (api::Status s = ReadListOptions(url.query, &request->list, &asked); !s.ok()) return s;
      }
      if (http.body.empty()) return ReadDeleteOptions(url.query, request);
      const auto media = NegotiateInput(http.headers.Get("Content-Type"), BuiltinMediaTypes());
      if (!media.ok()) return media.status();
      const auto body = Decode(http.body, (*media)->encoding);
      if (!body.ok()) return body.status();
      TakeDeleteOptions(*body, request);
      return {};
    }
    case api::Verb::kPatch: {
      const std::optional<api::PatchType> type = PatchTypeOf(http.headers.Get("Content-Type"));
      if (!type.has_value()) return UnknownPatch(*request->resource);
      request->patch_type = *type;
      break;
    }
    case api::Verb::kCreate:
    case api::Verb::kUpdate:
      break;
  }
  if (api::Status s = ReadWriteOptions(url.query, request); !s.ok()) return s;
  Encoding encoding = Encoding::kJson;
  if (request->verb == api::Verb::kPatch) {
    if (request->patch_type == api::PatchType::kApply) encoding = Encoding::kYaml;
  } else {
    const auto media =
        NegotiateInput(http.headers.Get("Content-Type"), MediaTypesOf(request->resource));
    if (!media.ok()) return media.status();
    encoding = (*media)->encoding;
  }
  auto body = Decode(http.body, encoding);
  if (!body.ok()) return body.status();
  request->body = *std::move(body);
  return {};
}

void HttpDoor::Session::ServeResource(StreamId stream, const HttpRequest& http, const Url& url,
                                      const RequestInfo& info) {
  api::Request request;
  Exchange exchange;
  if (const api::Status s = FindRoute(door_.kinds_, info, &request); !s.ok()) {
    return RespondStatus(stream, s, nullptr);
  }
  exchange.resource = request.resource;
  exchange.verb = request.verb;
  if (const api::Status s = ReadRequest(http, url, &exchange, &request); !s.ok()) {
    return RespondStatus(stream, s, &exchange.type);
  }
  if (!door_.pipeline_.accepting()) return connection_->Reset(stream);
  request.id = door_.next_request_++;
  request.user = SharedText(door_.options_.user);
  request.user_agent = SharedText(http.headers.Get("User-Agent"));
  request.client = SharedText("http");
  request.actor = sim::ActorId::Of("http");

  auto reply = [streams = streams_, stream, exchange, sim = &door_.sim_](api::Response response) {
    Connection* const connection = streams->connection;
    if (connection == nullptr) return;
    HttpResponse answer;
    answer.code = response.code;
    answer.headers.Add("Cache-Control", "no-cache, private");
    AddWarnings(response, &answer);
    if (exchange.verb == api::Verb::kWatch && response.code < 400) {
      std::string type = exchange.type.media->text();
      if (exchange.type.media->encoding != Encoding::kJson) type += ";stream=watch";
      answer.headers.Add("Content-Type", type);
      streams->watches[stream] = response.stream;
      connection->Begin(stream, std::move(answer));
      return;
    }
    auto tree = TransformedBody(*exchange.resource, exchange.verb, response, exchange.type,
                                exchange.table, sim->now());
    if (!tree.ok()) answer.code = tree.status().code;
    const int retry = response.status.details->retry_after_seconds;
    if (retry > 0) answer.headers.Add("Retry-After", fmt::format("{}", retry));
    answer.headers.Add("Content-Type", exchange.type.media->text());
    answer.body = Encode(tree.ok() ? *tree : tree.status().ToTree(), exchange.type.media->encoding,
                         exchange.type.pretty);
    connection->Respond(stream, std::move(answer));
  };
  if (request.verb == api::Verb::kWatch) {
    auto sink = std::make_shared<Watch>(streams_, stream, exchange, door_.sim_);
    door_.pipeline_.ServeWatch(std::move(request), std::move(reply), std::move(sink));
  } else {
    door_.pipeline_.Serve(std::move(request), std::move(reply));
  }
}

}  // namespace ksim::apiserver::http
