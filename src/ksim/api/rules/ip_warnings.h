// Warnings about addresses and networks that are written in an unusual form.
//
// Source: apimachinery pkg/util/validation/ip.go GetWarningsForIP, GetWarningsForCIDR; in 1.30
// pkg/api/service/warnings.go getWarningsForIP, getWarningsForCIDR.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "ksim/api/core/profile.h"
#include "ksim/value/value.h"

namespace ksim::api {

// Whether it is an IPv4 address of which there is nothing to say: the cheap answer for most.
bool HasUsualForm(std::string_view ip);

// A text that is no address is the business of validation.
void WarnOfIp(std::string_view path, std::string_view text, const Profile& profile,
              std::vector<std::string>* warnings);
void WarnOfCidr(std::string_view path, std::string_view text, const Profile& profile,
                std::vector<std::string>* warnings);

// The addresses of status.loadBalancer.ingress; only where the forms of all addresses are looked
// at.
void WarnOfLoadBalancerIps(const value::Value& status, const Profile& profile,
                           std::vector<std::string>* warnings);

}  // namespace ksim::api
