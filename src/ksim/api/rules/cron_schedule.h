// Rules of a CronJob's schedule, in the words of its parser.
//
// Source: github.com/robfig/cron/v3@v3.0.1 parser.go ParseStandard.
#pragma once
#include <string>
#include <string_view>

namespace ksim::api {

// The problem with a schedule; empty for a good one. A time zone within it (TZ=) is not looked up.
std::string CronProblem(std::string_view schedule);

}  // namespace ksim::api
