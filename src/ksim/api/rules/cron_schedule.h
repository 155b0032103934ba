// Rules of a CronJob's schedule, in the words of its parser.
//
// Source: github.com/robfig/cron/v3@v3.0.1 parser.go ParseStandard.
#pragma once
#include <string>
#include <string_view>

namespace ksim::api {

// The problem with a schedule; empty for a good one.
std::string CronProblem(std::string_view schedule);

// The problem with the name of a time zone, in the words of Go's time.LoadLocation; empty for a
// good one.
std::string TimeZoneProblem(std::string_view name);

}  // namespace ksim::api
