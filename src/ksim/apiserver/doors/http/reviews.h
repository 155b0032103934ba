// Reviews: the answers to requests that ask who one is and what one may do. They are kinds that no
// store holds.
//
// Sources: pkg/registry/authentication/{selfsubjectreview,tokenreview}/rest.go,
// pkg/registry/authorization/*/rest.go.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/api/kinds.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/apiserver/filters/authorization.h"
#include "ksim/apiserver/policy.h"

namespace ksim::apiserver::http {

// One resource of reviews. All can be created, and nothing else.
struct ReviewResource {
  std::string_view group, version, resource, kind;
  bool namespaced = false;
};
std::span<const ReviewResource> ReviewResources();

class Reviews {
 public:
  // `kinds` outlives it.
  Reviews(const api::Kinds& kinds, std::vector<DenyRule> deny,
          api::Compat compat = api::kDefaultCompat)
      : kinds_(kinds), authorizer_(std::move(deny)), compat_(compat) {}

  // Nothing for a request that is no review.
  std::optional<HttpResponse> Serve(const HttpRequest& http, const Url& url,
                                    const RequestInfo& info) const;

 private:
  HttpResponse Answer(const HttpRequest& http, const Url& url, const ReviewResource& review) const;
  value::Value StatusOf(std::string_view resource, const User& asker,
                        const value::Value& spec) const;
  value::Value AccessOf(const User& user, const value::Value& spec) const;

  const api::Kinds& kinds_;
  const Authorizer authorizer_;
  const api::Compat compat_;
};

// The groups that --as-group names, one a line.
std::string GroupsOf(const HttpRequest& http);
// The user that a request comes from: as its credentials or --as say, else kDefaultUser.
User UserOf(const HttpRequest& http);

}  // namespace ksim::apiserver::http
