#include "ksim/client/rest/link.h"

namespace ksim::client {
namespace {

// The key of "WORD/RESOURCE".
std::uint64_t KeyOfWord(std::string_view word, const api::ResourceInfo& r) {
  return sim::KeyOf(std::string(word).append("/").append(r.known_as()));
}

}  // namespace

Connection::Connection(Environment& env, sim::Process& process, api::Endpoint& server)
    : env_(env), process_(process), server_(&server), link_(std::make_shared<Link>(env, process)) {}
Connection::~Connection() = default;

Link::Lane::Lane(Environment& env, const std::string& client, const api::Endpoint& server,
                 const std::string& subject)
    : out(env.network, client, server.name(), subject, sim::Channel::Order::kUnordered,
          sim::Channel::Keys::kDiffer),
      in(env.network, server.name(), client, subject, sim::Channel::Order::kUnordered,
         sim::Channel::Keys::kDiffer),
      server(server.name()) {}

Link::Link(Environment& env, sim::Process& process)
    : env_(env), process_(process), env_alive_(env.alive()) {}

Link::Lane& Link::LaneTo(const api::Endpoint& server, const api::ResourceInfo* r) {
  std::unique_ptr<Lane>& lane = lanes_[{&server, r}];
  if (lane == nullptr) {
    lane = std::make_unique<Lane>(env_, process_.name(), server, env_.NameOf(*r));
  }
  return *lane;
}

sim::Channel Link::NewStreamChannel(const api::Endpoint& server, const api::ResourceInfo* r) {
  return sim::Channel(env_.network, server.name(), process_.name(), env_.NameOf(*r),
                      sim::Channel::Order::kOrdered, sim::Channel::Keys::kDiffer);
}

std::uint64_t Link::StreamKey(std::string_view word, const api::ResourceInfo* r) {
  const std::uint64_t base = KeyOfWord(word, *r);
  return sim::KeyOf(base, env_.NextOrdinal(sim::KeyOf(process_.actor().name_hash(), base)));
}

void Link::SendCloseWatch(api::Endpoint& server, const api::ResourceInfo* r, std::uint64_t stream) {
  if (!usable()) return;
  LaneTo(server, r).out.Send(StreamKey("close", r),
                             [&server, stream] { server.CloseWatch(stream); });
}

// The events that the server sends after it are work, whatever led to them: a run is not quiet
// before they arrive.
void Link::SendResumeWatch(api::Endpoint& server, const api::ResourceInfo* r,
                           std::uint64_t stream) {
  if (!usable()) return;
  bool& background = sim().context().background;
  const bool before = std::exchange(background, false);
  LaneTo(server, r).out.Send(StreamKey("resume", r),
                             [&server, stream] { server.ResumeWatch(stream); });
  background = before;
}

std::uint64_t Link::RequestKey(const api::Request& r, std::uint64_t object) {
  if (object == 0) {
    std::string_view name;
    if (r.verb == api::Verb::kCreate) name = r.body.Get("metadata").Get("generateName").AsString();
    object = api::ObjectHash(r.resource->known_as(), r.ns, name);
  }
  const std::uint64_t base = sim::KeyOf(api::ToString(r.verb), env_.IdentityOf(object));
  return sim::KeyOf(base, env_.NextOrdinal(sim::KeyOf(process_.actor().name_hash(), base)));
}

std::uint64_t Link::StreamsKey(const api::ResourceInfo* r) const {
  return sim::KeyOf(r->known_as(), process_.actor().name_hash());
}

std::uint64_t Link::DeliveryKey(std::uint64_t streams, const api::ResourceInfo* r,
                                const api::WatchEvent& event) {
  const bool bookmark = event.type == api::WatchEventType::kBookmark;
  const bool named = !bookmark && !event.object.empty();
  const std::uint64_t base =
      named ? env_.IdentityOf(event.object.KeyHash(*r)) : KeyOfWord(api::ToString(event.type), *r);
  return sim::KeyOf(base, env_.NextOrdinal(sim::KeyOf(streams, base)));
}

}  // namespace ksim::client
