#include "ksim/client/record/event_correlator.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace ksim::client {
namespace {

constexpr std::size_t kMaxCacheEntries = 4096;
constexpr std::size_t kAggregateMaxEvents = 10;
constexpr Duration kAggregateInterval = Seconds(600);
constexpr std::int64_t kSpamBurst = 25;
constexpr Duration kSpamRefill = Seconds(300);

// `begin` and each of the parts behind it.
std::string Join(std::string_view begin, std::initializer_list<std::string_view> parts) {
  std::string out;
  std::size_t size = begin.size() + parts.size();
  for (const std::string_view part : parts) size += part.size();
  out.reserve(size);
  out.append(begin);
  for (const std::string_view part : parts) {
    out.append(part);
    out.push_back('\x1f');
  }
  return out;
}

std::string SourceAndObject(const EventRecord& e) {
  return Join({}, {e.component, e.host, e.about.kind, e.about.ns, e.about.name, e.about.uid,
                   e.about.api_version});
}

std::string EventKey(const EventRecord& e, std::string_view source) {
  return Join(source, {e.about.field_path, e.type, e.reason, e.message});
}

std::string AggregateKey(const EventRecord& e, std::string_view source) {
  const std::string_view reporter = e.names_reporter ? e.component : std::string_view();
  return Join(source, {e.type, e.reason, reporter});
}

}  // namespace

EventCorrelator::EventCorrelator(bool spam_key_has_type)
    : spam_key_has_type_(spam_key_has_type),
      aggregates_(kMaxCacheEntries),
      seen_(kMaxCacheEntries),
      buckets_(kMaxCacheEntries) {}

Correlation EventCorrelator::Correlate(EventRecord& event, VirtualTime now, VirtualTime steady) {
  Correlation out;
  const std::string source = SourceAndObject(event);
  const std::string key = AggregateEvent(event, source, now, steady);
  out.patch = Observe(event, key);
  out.skip = Filter(event, source, steady);
  return out;
}

std::string EventCorrelator::AggregateEvent(EventRecord& event, const std::string& source,
                                            VirtualTime now, VirtualTime steady) {
  std::string event_key = EventKey(event, source);
  std::string aggregate_key = AggregateKey(event, source);
  Aggregate* found = aggregates_.Get(aggregate_key);
  if (found == nullptr || steady - found->last > kAggregateInterval) {
    found = &aggregates_.Put(aggregate_key, Aggregate());
  }
  found->messages.insert(event.message);
  found->last = steady;
  if (found->messages.size() < kAggregateMaxEvents) return event_key;
  found->messages.erase(found->messages.begin());
  event.name = EventName(event.about.name, now);
  event.message = fmt::format("(combined from similar events): {}", event.message);
  event.names_reporter = false;
  event.first = event.last = now;
  event.count = 1;
  return aggregate_key;
}

bool EventCorrelator::Observe(EventRecord& event, const std::string& key) {
  const Seen* last = seen_.Get(key);
  const bool known = last != nullptr && last->count > 0;
  if (known) {
    event.name = last->name;
    event.first = last->first;
    event.count = last->count + 1;
  }
  seen_.Put(key, Seen{event.count, event.first, event.name});
  return known;
}

bool EventCorrelator::Filter(const EventRecord& event, const std::string& source,
                             VirtualTime steady) {
  std::string key = source;
  if (spam_key_has_type_) key += event.type;
  TokenBucket* bucket = buckets_.Get(key);
  if (bucket == nullptr) bucket = &buckets_.Put(key, TokenBucket(kSpamRefill, kSpamBurst));
  return !bucket->TryAccept(steady);
}

void EventCorrelator::UpdateState(const EventRecord& event) {
  seen_.Put(EventKey(event, SourceAndObject(event)), Seen{event.count, event.first, event.name});
}

}  // namespace ksim::client
