// HookDispatcher: what the mutating and the validating webhooks do alike: which webhooks a request
// is judged by, their calls, and what a verdict means under a failure policy.
//
// Source: apiserver pkg/admission/plugin/webhook/generic/webhook.go Dispatch,
// {mutating,validating}/dispatcher.go.
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ksim/apiserver/admission/webhook/client.h"
#include "ksim/apiserver/admission/webhook/hook.h"
#include "ksim/apiserver/admission/webhook/matching.h"
#include "ksim/apiserver/admission/webhook/review.h"

namespace ksim::apiserver {

// Has the request's objects converted for whoever judges them at that resource, where a webhook
// converts the versions of their kind: before they are shown. 500 if it could not.
sim::Task<api::Status> ConvertToShow(const PluginContext& context, const Attributes& a,
                                     const api::ResourceInfo& at);
bool NeedsConversionToShow(const Attributes& a, const api::ResourceInfo& at);
// An object that is at one resource of the kind as it is at another one.
sim::Task<api::Result<value::Value>> ConvertBetween(const PluginContext& context,
                                                    const api::ResourceInfo& to, value::Value tree);

// The object, or the stored one, as whoever judges it at that resource is shown it; null for none.
value::Value ShownToHook(const PluginContext& context, const value::Value& tree,
                         std::int64_t version, bool stored, const Attributes& a,
                         const api::ResourceInfo& at);

class HookDispatcher {
 public:
  // `resource`: as of HookSource.
  HookDispatcher(const PluginContext& context, std::string_view resource, bool mutating)
      : context_(context),
        mutating_(mutating),
        source_(context, resource),
        matcher_(context),
        client_(context) {}

  const PluginContext& context() const { return context_; }
  HookMatcher& matcher() { return matcher_; }
  bool MayHaveHooks() const { return source_.MayHaveHooks(); }
  // Whether a webhook may have to be asked about such an object.
  bool MayAsk(const Attributes& a) const;
  // The webhooks to look at; 403 if the server does not know them in time.
  sim::Task<api::Result<Hooks>> KnownHooks(const Attributes& a);

  value::Value Shown(const value::Value& tree, std::int64_t version, bool stored,
                     const Attributes& a, const api::ResourceInfo& at) const {
    return ShownToHook(context_, tree, version, stored, a, at);
  }

  // Whether the webhook may be called in a dry run: a Status to end with if it may not.
  api::Status CheckDryRun(const Hook& hook, const Attributes& a) const;
  // Calls it; null if it takes no version of AdmissionReview that this server speaks.
  std::shared_ptr<HookCall> Call(const Invocation& invocation, const Attributes& a, int round,
                                 const value::Value& object, const value::Value& old);
  // The verdict of a call that could not be made.
  static ReviewVerdict NoKnownVersion();
  // Takes the warnings and annotations of a verdict into the request, and says what becomes of it:
  // Success also for a failure that is ignored.
  static api::Status Conclude(const Hook& hook, const ReviewVerdict& verdict, const Attributes& a,
                              std::string failed_open_key);
  // Whether the API request has run out of time.
  bool IsOver(const Attributes& a) const;

 private:
  PluginContext context_;
  bool mutating_;
  HookSource source_;
  HookMatcher matcher_;
  HookClient client_;
};

// A request that was given up while webhooks were asked.
api::Status RequestTimedOutAskingWebhooks();

}  // namespace ksim::apiserver
