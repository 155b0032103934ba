// PutUpdate and PatchUpdate: the new state of an object that a PUT or a PATCH, server-side apply
// included, asks for.
//
// Source: apiserver pkg/endpoints/handlers/update.go, patch.go.
#pragma once
#include <string>
#include <vector>

#include "ksim/api/compat.h"
#include "ksim/apiserver/core/request_context.h"
#include "ksim/apiserver/registry/updated_object.h"

namespace ksim::apiserver {

// 415 for patch types that the kind, or this server, does not take (API-86).
api::Status CheckPatchType(const api::ResourceInfo& r, const api::Request& request);

class PutUpdate final : public UpdatedObject {
 public:
  PutUpdate(RequestContext& rc, api::Compat compat) : rc_(rc), compat_(compat) {}
  // Decodes the body; call it once, before Make. 400 for a body that cannot be decoded.
  api::Status Decode();
  Preconditions preconditions() const override;
  api::Result<WantedObject> Make(const api::Object& existing) override;

 private:
  bool scale() const { return rc_.request().subresource == "scale"; }

  RequestContext& rc_;
  api::Compat compat_;
  WantedObject wanted_;
  api::Status version_;  // whether its resourceVersion is a number
};

class PatchUpdate final : public UpdatedObject {
 public:
  PatchUpdate(RequestContext& rc, api::Compat compat)
      : rc_(rc), compat_(compat), warned_(rc.warnings.size()) {}
  api::Result<WantedObject> Make(const api::Object& existing) override;

 private:
  api::Result<value::Value> Apply(const value::Value& target) const;
  api::Result<value::Value> Decode(value::Value patched, std::vector<std::string>* warnings) const;
  api::Result<WantedObject> MakeScale(const api::Object& existing);
  // A later try says again what the one before it has said.
  void Warn(std::vector<std::string> warnings);

  RequestContext& rc_;
  api::Compat compat_;
  std::size_t warned_;  // warnings that the request had before
};

}  // namespace ksim::apiserver
