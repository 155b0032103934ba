#include "ksim/scenario/guest_services.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ksim::scenario {
namespace {

using apiserver::WebhookServer;
using apiserver::WebhookTarget;

class NamedServer final : public WebhookServer {
 public:
  explicit NamedServer(std::string name) : name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool accepting() const override { return true; }
  void Accept(apiserver::WebhookRequest, Reply) override {}

 private:
  std::string name_;
};

// Guests whose ports are lines of a test; a server is named REPLICA:PORT.
class GuestServicesTest : public testing::Test, public apiserver::WebhookDirectory {
 protected:
  void Add(const std::string& name, std::vector<std::string> services, std::int64_t replicas = 1) {
    GuestSpec guest;
    guest.name = name;
    guest.services = std::move(services);
    guest.replicas = replicas;
    std::vector<GuestServices::Replica> all;
    for (std::int64_t i = 0; i < replicas; ++i) {
      GuestServices::Replica replica;
      replica.name = guest.ProcessName(i);
      replica.ports = [this, n = replica.name] { return ports_[n]; };
      replica.server = [this, n = replica.name](std::int32_t port) -> WebhookServer& {
        servers_.push_back(std::make_unique<NamedServer>(n + ":" + std::to_string(port)));
        return *servers_.back();
      };
      all.push_back(std::move(replica));
    }
    services_.Add(guest, std::move(all));
  }
  std::string ToService(const std::string& ns, const std::string& name, int target_port,
                        std::uint64_t key = 1) {
    WebhookTarget target;
    target.service_namespace = ns;
    target.service = name;
    target.host = name + "." + ns + ".svc";
    target.target_port = target_port;
    return NameOf(services_.Find(target, key));
  }
  std::string ToUrl(const std::string& host, int port) {
    WebhookTarget target;
    target.url = "https://" + host;
    target.host = host;
    target.port = port;
    return NameOf(services_.Find(target, 1));
  }
  static std::string NameOf(const WebhookServer* server) {
    return server == nullptr ? "nobody" : server->name();
  }
  WebhookServer* Find(const WebhookTarget& target, std::uint64_t) override {
    return target.service == "native" ? &native_ : nullptr;
  }

  std::map<std::string, std::vector<std::int32_t>> ports_;
  std::vector<std::unique_ptr<NamedServer>> servers_;
  NamedServer native_{"native"};
  sim::Decisions decisions_{1, {}, nullptr};
  GuestServices services_{decisions_, this};
};

TEST_F(GuestServicesTest, AServiceLeadsToTheGuestThatHasItsNameOrNamesIt) {
  Add("hooks", {"system/webhook-service"});
  ports_["hooks"] = {8081, 9443};
  EXPECT_EQ(ToService("default", "hooks", 9443), "hooks:9443");
  EXPECT_EQ(ToService("system", "webhook-service", 9443), "hooks:9443");
  EXPECT_EQ(ToService("system", "hooks", 9443), "nobody");
  EXPECT_EQ(ToService("default", "native", 443), "native") << "what is no guest";
  EXPECT_EQ(ToUrl("hooks", 8081), "hooks:8081");
  EXPECT_EQ(ToUrl("hooks.default.svc.cluster.local", 9443), "hooks:9443");
  EXPECT_EQ(ToUrl("webhook-service.system", 9443), "hooks:9443");
  EXPECT_EQ(ToUrl("hooks.default.com", 9443), "nobody");
}

TEST_F(GuestServicesTest, APortByNameIsTheUsualOneOrTheOnlyOne) {
  Add("hooks", {});
  ports_["hooks"] = {8081, 9443};
  EXPECT_EQ(ToService("default", "hooks", 0), "hooks:9443");
  ports_["hooks"] = {8443};
  EXPECT_EQ(ToService("default", "hooks", 0), "hooks:8443");
  EXPECT_EQ(ToService("default", "hooks", 9443), "hooks:9443") << "who refuses is there";
}

TEST_F(GuestServicesTest, OneOfTheReplicasThatListenIsDrawn) {
  Add("hooks", {}, 3);
  ports_["hooks-0"] = ports_["hooks-2"] = {9443};
  std::set<std::string> picked;
  for (std::uint64_t key = 1; key <= 40; ++key)
    picked.insert(ToService("default", "hooks", 9443, key));
  EXPECT_EQ(picked, (std::set<std::string>{"hooks-0:9443", "hooks-2:9443"}));
  EXPECT_EQ(ToUrl("hooks-2", 9443), "hooks-2:9443");
}

}  // namespace
}  // namespace ksim::scenario
