// TLS, certificates and credentials: both ends of a connection in one process.
#include "ksim/serve/tls.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ksim/serve/certificates.h"
#include "ksim/serve/credentials.h"
#include "ksim/serve/tls_connection.h"

namespace ksim::serve {
namespace {

namespace http = apiserver::http;

KeyPair AuthorityNamed(const char* name) { return MakeAuthority(name).value(); }

KeyPair ServedOn(const KeyPair& authority, const std::string& address) {
  Subject subject;
  subject.name = "server";
  subject.addresses = {address};
  subject.dns_names = {"localhost"};
  return MakeCertificate(authority, subject).value();
}

KeyPair ClientNamed(const KeyPair& authority, const std::string& user,
                    std::vector<std::string> groups) {
  Subject subject;
  subject.name = user;
  subject.organizations = std::move(groups);
  return MakeCertificate(authority, subject).value();
}

// Both ends, and the bytes between them until both are silent.
struct Ends {
  Ends(const std::unique_ptr<Tls>& server_tls, const std::unique_ptr<Tls>& client_tls)
      : server(server_tls->Begin()), client(client_tls->Begin()) {}
  void Talk() {
    for (;;) {
      const std::string to_server = client->TakeOutput();
      if (!to_server.empty()) server_heard += server->Receive(to_server);
      const std::string to_client = server->TakeOutput();
      if (!to_client.empty()) client_heard += client->Receive(to_client);
      if (to_server.empty() && to_client.empty()) return;
    }
  }
  std::unique_ptr<TlsSession> server, client;
  std::string server_heard, client_heard;
};

class TlsTest : public testing::Test {
 protected:
  // The ends of a client that shows `shown` and asks for `host`.
  Ends Connect(const KeyPair& shown, const std::string& host = "127.0.0.1") {
    server_ = MakeTlsServer(ServedOn(authority_, "127.0.0.1"), authority_.certificate).value();
    client_ = MakeTlsClient(authority_.certificate, host, shown).value();
    Ends ends(server_, client_);
    ends.Talk();
    return ends;
  }
  const KeyPair authority_ = AuthorityNamed("kubernetes");
  std::unique_ptr<Tls> server_, client_;
};

// API-180
TEST_F(TlsTest, AClientIsWhoItsCertificateSays) {
  Ends ends = Connect(ClientNamed(authority_, "jane", {"dev", "ops"}));
  ASSERT_TRUE(ends.server->established()) << ends.server->error();
  ASSERT_NE(ends.server->identity(), nullptr);
  EXPECT_EQ(ends.server->identity()->user, "jane");
  EXPECT_EQ(ends.server->identity()->groups, (std::vector<std::string>{"dev", "ops"}));
  ends.client->Send("hello");
  ends.server->Send(std::string(100'000, 'x'));
  ends.Talk();
  EXPECT_EQ(ends.server_heard, "hello");
  EXPECT_EQ(ends.client_heard.size(), 100'000u);
  ends.client->End();
  ends.Talk();
  EXPECT_TRUE(ends.server->ended());
  EXPECT_EQ(ends.server->error(), "");
}

// API-180: a certificate that proves nothing ends no connection.
TEST_F(TlsTest, AClientWithoutAGoodCertificateIsNobody) {
  const KeyPair other = AuthorityNamed("kubernetes");
  for (const KeyPair& shown :
       {KeyPair(), ClientNamed(other, "jane", {"system:masters"}), ServedOn(authority_, "10.0.0.1"),
        ClientNamed(authority_, "two\nlines", {})}) {
    Ends ends = Connect(shown);
    EXPECT_TRUE(ends.server->established());
    EXPECT_EQ(ends.server->identity(), nullptr);
    ends.client->Send("hello");
    ends.Talk();
    EXPECT_EQ(ends.server_heard, "hello");
  }
}

TEST_F(TlsTest, AServerOfAnotherNameOrAuthorityIsRefused) {
  Ends elsewhere = Connect(KeyPair(), "10.0.0.2");
  EXPECT_EQ(elsewhere.client->error(), "IP address mismatch");
  EXPECT_FALSE(elsewhere.server->established());
  Ends named = Connect(KeyPair(), "localhost");
  EXPECT_TRUE(named.client->established());
  const auto stranger = MakeTlsClient(AuthorityNamed("x").certificate, "127.0.0.1", {}).value();
  Ends ends(server_, stranger);
  ends.Talk();
  EXPECT_NE(ends.client->error(), "");
  EXPECT_TRUE(ends.server->ended());
}

TEST_F(TlsTest, FilesThatAreNoneAreRefused) {
  const KeyPair good = ServedOn(authority_, "127.0.0.1");
  KeyPair mixed = good;
  mixed.key = ServedOn(authority_, "127.0.0.1").key;
  KeyPair no_key = good;
  no_key.key = "-----BEGIN PRIVATE KEY-----\n";
  EXPECT_EQ(MakeTlsServer(KeyPair(), "").status().message(), "there is no certificate in PEM");
  EXPECT_EQ(MakeTlsServer(no_key, "").status().message(), "there is no key in PEM");
  EXPECT_EQ(MakeTlsServer(mixed, "").status().message(),
            "certificate and key: key values mismatch");
  EXPECT_EQ(MakeTlsServer(good, "x").status().message(), "there is no authority in PEM");
}

class Ignores final : public http::RequestSink {
 public:
  void OnRequest(http::StreamId, http::HttpRequest) override { ++requests; }
  void OnGone(http::StreamId) override {}
  int requests = 0;
};

TEST_F(TlsTest, WhatIsNoTlsIsTold) {
  const auto tls = MakeTlsServer(ServedOn(authority_, "127.0.0.1"), "").value();
  Ignores sink;
  const auto answer = [&](std::string_view bytes, bool* closed) {
    TlsConnection connection(tls->Begin(), http::MakeConnection(sink, http::ConnectionLimits()));
    for (const char c : bytes) connection.Receive({&c, 1});
    std::string out = connection.TakeOutput();
    *closed = connection.closed();
    return out;
  };
  bool closed = false;
  for (const char* text : {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "POST /api", "OPTIONS * H"}) {
    EXPECT_EQ(answer(text, &closed),
              "HTTP/1.0 400 Bad Request\r\n\r\n"
              "Client sent an HTTP request to an HTTPS server.\n");
    EXPECT_TRUE(closed);
  }
  EXPECT_EQ(answer("garbage", &closed), "");
  EXPECT_TRUE(closed);
  EXPECT_EQ(answer("GET ", &closed), "");
  EXPECT_FALSE(closed);  // half of it may still be anything
  EXPECT_NE(answer(std::string("\x16\x03\x01\x00\x05garbage", 12), &closed), "");  // an alert
  EXPECT_TRUE(closed);
  EXPECT_EQ(sink.requests, 0);
}

// API-181. Whose request it is, and what the cluster is told of that.
TEST(Credentials, ARequestIsOfTheUserThatTheyName) {
  struct Row {
    const char *what, *user, *authorization, *impersonates, *wanted;
    Asker asker;
  };
  const Row rows[] = {
      {"nothing", nullptr, "", "", "-", Asker::kNobody},
      {"a certificate", "jane", "", "", "jane dev system:authenticated", Asker::kUser},
      {"and a wrong token", "jane", "Bearer x", "", "jane dev system:authenticated", Asker::kUser},
      {"the token", nullptr, "Bearer 0123", "",
       "kubernetes-admin system:masters system:authenticated", Asker::kAdmin},
      {"a part of it", nullptr, "Bearer 012", "", "-", Asker::kUnknown},
      {"none", nullptr, "Bearer ", "", "-", Asker::kUnknown},
      {"a service account's", nullptr, "Bearer ksim.c3lzdGVtOnNlcnZpY2VhY2NvdW50OmE6Yg==", "",
       "system:serviceaccount:a:b", Asker::kUser},
      {"another way", nullptr, "Basic 0123", "", "-", Asker::kNobody},
      {"--as", "jane", "", "joe", "joe", Asker::kUser},
  };
  for (const Row& row : rows) {
    http::HttpRequest request;
    if (*row.authorization != '\0') request.headers.Add("Authorization", row.authorization);
    if (*row.impersonates != '\0') request.headers.Add("Impersonate-User", row.impersonates);
    Identity identity;
    if (row.user != nullptr) identity.user = row.user;
    identity.groups = {"dev"};
    const Asker asker =
        TakeCredentials(row.user == nullptr ? nullptr : &identity, "0123", &request);
    EXPECT_EQ(asker, row.asker) << row.what;
    std::string told(request.headers.Get("Impersonate-User"));
    for (const auto& field : request.headers.fields())
      if (field.name == "Impersonate-Group") told += " " + field.value;
    EXPECT_EQ(told.empty() ? "-" : told, row.wanted) << row.what;
  }
}

// API-181
TEST(Credentials, HealthAndVersionAreForEverybody) {
  for (const char* path : {"/healthz", "/livez", "/readyz", "/version", "/version/"})
    EXPECT_TRUE(IsPublicPath(path)) << path;
  for (const char* path : {"/", "/healthz/", "/readyz/etcd", "/api", "/openapi/v2", "/metrics"})
    EXPECT_FALSE(IsPublicPath(path)) << path;
}

TEST(Credentials, AServerMakesWhatNobodyGives) {
  const ServerCredentials own = MakeServerCredentials("10.1.2.3", GivenCredentials()).value();
  EXPECT_EQ(own.token.size(), 64u);
  EXPECT_NE(MakeServerCredentials("10.1.2.3", GivenCredentials())->token, own.token);
  const auto server = MakeTlsServer(own.shown, own.client_authority).value();
  for (const char* host : {"10.1.2.3", "127.0.0.1", "::1", "10.96.0.1", "localhost", "kubernetes",
                           "kubernetes.default.svc.cluster.local"}) {
    Ends ends(server, MakeTlsClient(own.access.authority, host, own.access.client).value());
    ends.Talk();
    ASSERT_NE(ends.server->identity(), nullptr) << host;
    EXPECT_EQ(ends.server->identity()->user, "kubernetes-admin");
    EXPECT_EQ(ends.server->identity()->groups, std::vector<std::string>{"system:masters"});
  }
  // Somebody else signs clients: there is a token alone.
  GivenCredentials given;
  const KeyPair authority = AuthorityNamed("theirs");
  given.client_authority = authority.certificate;
  given.shown = ServedOn(authority, "10.1.2.3");
  const ServerCredentials theirs = MakeServerCredentials("10.1.2.3", given).value();
  EXPECT_TRUE(theirs.access.client.empty());
  EXPECT_EQ(theirs.client_authority, authority.certificate);
  EXPECT_EQ(theirs.access.authority, given.shown.certificate);
  // A certificate is an authority of itself, as Go has it.
  Ends ends(MakeTlsServer(theirs.shown, theirs.client_authority).value(),
            MakeTlsClient(theirs.access.authority, "10.1.2.3", {}).value());
  ends.Talk();
  EXPECT_TRUE(ends.client->established()) << ends.client->error();
}

}  // namespace
}  // namespace ksim::serve
