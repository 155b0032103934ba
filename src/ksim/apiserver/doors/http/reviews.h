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

#include "ksim/api/compat.h"
#include "ksim/apiserver/core/access.h"
#include "ksim/apiserver/doors/http/message.h"
#include "ksim/apiserver/doors/http/request_info.h"
#include "ksim/value/value.h"

namespace ksim::apiserver::http {

// One resource of reviews. All can be created, and nothing else.
struct ReviewResource {
  std::string_view group, version, resource, kind;
  bool namespaced = false;
};
std::span<const ReviewResource> ReviewResources();

class Reviews {
 public:
  // `judge` outlives it; null allows everything.
  explicit Reviews(const AccessJudge* judge, api::Compat compat = api::kDefaultCompat)
      : judge_(judge), compat_(compat) {}

  // Nothing for a request that is no review.
  std::optional<HttpResponse> Serve(const HttpRequest& http, const Url& url,
                                    const RequestInfo& info) const;
  // 403 to a request for a path that is no resource, if the user may not ask for it (API-255).
  std::optional<HttpResponse> RefusePath(const HttpRequest& http, const Url& url,
                                         const RequestInfo& info) const;

 private:
  bool JudgesPaths() const { return judge_ != nullptr && judge_->JudgesPaths(); }
  User AskerOf(const HttpRequest& http) const;
  std::optional<HttpResponse> Refuse(const User& user, const Access& access) const;
  HttpResponse Answer(const HttpRequest& http, const Url& url, const ReviewResource& review) const;
  value::Value StatusOf(std::string_view resource, const User& asker,
                        const value::Value& spec) const;
  value::Value DecisionOn(const User& user, const value::Value& spec) const;
  value::Value RulesOf(const User& user, std::string_view ns) const;
  User SubjectOf(const value::Value& spec) const;

  const AccessJudge* judge_;
  const api::Compat compat_;
};

// The groups that --as-group names, one a line.
std::string GroupsOf(const HttpRequest& http);
}  // namespace ksim::apiserver::http
