#include "ksim/serve/metrics.h"

#include <fmt/format.h>

#include <string_view>

#include "ksim/apiserver/core/payloads.h"
#include "ksim/client/core/payloads.h"

namespace ksim::serve {
namespace {

using Kind = sim::EventKind;

// The verb as upstream's label has it (CanonicalVerb, cleanVerb).
std::string VerbLabel(api::Verb verb) {
  if (verb == api::Verb::kCreate) return "POST";
  if (verb == api::Verb::kUpdate) return "PUT";
  std::string out(api::ToString(verb));
  for (char& c : out) c = static_cast<char>(c - 'a' + 'A');
  return out;
}

std::string LabelsOf(const api::ResourceInfo& r, std::string_view subresource,
                     const std::string& verb) {
  return fmt::format("group=\"{}\",resource=\"{}\",subresource=\"{}\",verb=\"{}\",version=\"{}\"",
                     r.group, r.resource, subresource, verb, r.version);
}

std::string InSeconds(Duration d) {
  return fmt::format("{}.{:09}", d.ns() / 1'000'000'000, d.ns() % 1'000'000'000);
}

// The lines of Prometheus' text format.
class PageWriter {
 public:
  // Begins a metric.
  void Metric(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <class Number>
  void Line(std::string_view suffix, std::string_view labels, const Number& value) {
    text_ += fmt::format("{}{}{{{}}} {}\n", name_, suffix, labels, value);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string name_, text_;
};

}  // namespace

Metrics::Metrics(scenario::World& world) : world_(world) {
  world.sim().bus().Subscribe(
      sim::Bus::Stage::kWriter,
      {Kind::kRequest, Kind::kResponse, Kind::kWatch, Kind::kEvent, Kind::kCommit},
      [this](const sim::Event& e) { Take(e); });
}

void Metrics::Take(const sim::Event& e) {
  switch (e.kind) {
    case Kind::kRequest: {
      const api::Request& r = e.payload.As<client::RequestPayload>().request;
      in_flight_[r.id] = LabelsOf(*r.resource, r.subresource.view(), VerbLabel(r.verb));
      return;
    }
    case Kind::kResponse: {
      const auto& p = e.payload.As<client::ResponsePayload>();
      const auto asked = in_flight_.extract(p.id);
      if (asked.empty() || p.code == 0) return;
      ++requests_[{asked.mapped(), p.code}];
      Histogram& h = durations_[asked.mapped()];
      ++h.count;
      h.sum = h.sum + p.latency;
      for (std::size_t i = 0; i < kBounds.size(); ++i)
        if (p.latency <= Milliseconds(kBounds[i])) ++h.within[i];
      return;
    }
    case Kind::kWatch:  // etcd's own have another payload
      if (const auto* p = dynamic_cast<const apiserver::WatchPayload*>(e.payload.get()))
        watches_[LabelsOf(*p->resource, "", "WATCH")] += p->open ? 1 : -1;
      return;
    case Kind::kEvent:
      if (const auto* p = dynamic_cast<const apiserver::EventPayload*>(e.payload.get()))
        ++told_[fmt::format("resource=\"{}\"", p->body->resource->known_as())];
      return;
    case Kind::kCommit:
      revision_ = e.revision;
      return;
    default:
      return;
  }
}

apiserver::http::HttpResponse Metrics::Page() const {
  PageWriter page;
  page.Metric("apiserver_request_total", "counter", "Requests answered, by resource and code.");
  for (const auto& [key, count] : requests_)
    page.Line("", fmt::format("code=\"{}\",{}", key.second, key.first), count);
  page.Metric("apiserver_request_duration_seconds", "histogram",
              "Virtual time from a request's sending to its answer.");
  for (const auto& [labels, h] : durations_) {
    for (std::size_t i = 0; i < kBounds.size(); ++i)
      page.Line("_bucket", fmt::format("{},le=\"{}\"", labels, InSeconds(Milliseconds(kBounds[i]))),
                h.within[i]);
    page.Line("_bucket", labels + ",le=\"+Inf\"", h.count);
    page.Line("_sum", labels, InSeconds(h.sum));
    page.Line("_count", labels, h.count);
  }
  page.Metric("apiserver_longrunning_requests", "gauge", "Watches that are open.");
  for (const auto& [labels, open] : watches_) page.Line("", labels, open);
  page.Metric("apiserver_watch_events_total", "counter", "Events sent to watchers.");
  for (const auto& [labels, count] : told_) page.Line("", labels, count);
  page.Metric("apiserver_storage_objects", "gauge", "Objects in etcd.");
  const api::ResourceInfo* before = nullptr;  // the versions of a resource stand together
  for (const api::ResourceInfo* r : world_.kinds().all()) {
    if (before != nullptr && before->known_as() == r->known_as()) continue;
    before = r;
    const std::size_t count = world_.Objects(*r).size();
    if (count > 0) page.Line("", fmt::format("resource=\"{}\"", r->group_resource()), count);
  }
  page.Metric("etcd_debugging_mvcc_current_revision", "gauge", "The revision of etcd.");
  page.Line("", "", revision_);
  apiserver::http::HttpResponse response;
  response.headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.body = page.Take();
  return response;
}

}  // namespace ksim::serve
