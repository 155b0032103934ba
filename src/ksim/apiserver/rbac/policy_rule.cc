#include "ksim/apiserver/rbac/policy_rule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "ksim/api/core/go_text.h"

namespace ksim::apiserver::rbac {
namespace {

constexpr std::string_view kAll = "*";

using Texts = std::vector<std::string>;

Texts TextsOf(const value::Value& list) {
  Texts texts;
  for (const value::Value& text : list.items()) texts.emplace_back(text.AsString());
  return texts;
}

bool Has(const Texts& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool HasAll(const Texts& texts, const Texts& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&texts](const std::string& text) { return Has(texts, text); });
}

bool HasOrAll(const Texts& texts, std::string_view text) {
  return Has(texts, kAll) || Has(texts, text);
}

// ResourceMatches: pods is not pods/status, and */status is of every resource.
bool ResourceMatches(const PolicyRule& rule, const Access& a) {
  const bool sub = !a.subresource.empty();
  if (HasOrAll(rule.resources, sub ? fmt::format("{}/{}", a.resource, a.subresource) : a.resource))
    return true;
  return sub && Has(rule.resources, fmt::format("*/{}", a.subresource));
}

// NonResourceURLMatches, and nonResourceURLCovers: a star at the end is any rest.
bool UrlMatches(std::string_view rule, std::string_view path) {
  if (rule == path) return true;
  if (!rule.ends_with(kAll)) return false;
  while (rule.ends_with(kAll)) rule.remove_suffix(1);
  return path.starts_with(rule);
}

bool SomeUrlMatches(const Texts& urls, std::string_view path) {
  return std::any_of(urls.begin(), urls.end(),
                     [path](const std::string& url) { return UrlMatches(url, path); });
}

// resourceCoversAll, of one resource or none.
bool CoversResources(const Texts& held, const Texts& wanted) {
  if (Has(held, kAll)) return true;
  return std::all_of(wanted.begin(), wanted.end(), [&held](const std::string& path) {
    const std::size_t slash = path.find('/');
    return Has(held, path) ||
           (slash != path.npos && Has(held, fmt::format("*{}", path.substr(slash))));
  });
}

// ruleCovers. `wanted` is a part as BreakDown makes it.
bool Covers(const PolicyRule& held, const PolicyRule& wanted) {
  const auto has_all = [](const Texts& all, const Texts& some) {
    return Has(all, kAll) || HasAll(all, some);
  };
  const bool names =
      held.names.empty() || (!wanted.names.empty() && HasAll(held.names, wanted.names));
  return has_all(held.verbs, wanted.verbs) && has_all(held.groups, wanted.groups) &&
         CoversResources(held.resources, wanted.resources) && names &&
         std::all_of(wanted.urls.begin(), wanted.urls.end(),
                     [&held](const std::string& path) { return SomeUrlMatches(held.urls, path); });
}

// BreakdownRule: rules of one verb each, and of one resource and name, or one path.
std::vector<PolicyRule> BreakDown(const PolicyRule& rule) {
  std::vector<PolicyRule> parts;
  const auto add = [&parts](const std::string& group, const std::string& resource,
                            const std::string& verb, Texts names) {
    PolicyRule part;
    part.groups = {group};
    part.resources = {resource};
    part.verbs = {verb};
    part.names = std::move(names);
    parts.push_back(std::move(part));
  };
  for (const std::string& group : rule.groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        if (rule.names.empty()) add(group, resource, verb, {});
        for (const std::string& name : rule.names) add(group, resource, verb, {name});
      }
    }
  }
  for (const std::string& url : rule.urls) {
    for (const std::string& verb : rule.verbs) {
      PolicyRule part;
      part.urls = {url};
      part.verbs = {verb};
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace

std::vector<PolicyRule> RulesIn(const value::Value& role) {
  std::vector<PolicyRule> rules;
  for (const value::Value& tree : role.Get("rules").items()) {
    PolicyRule rule;
    rule.verbs = TextsOf(tree.Get("verbs"));
    rule.groups = TextsOf(tree.Get("apiGroups"));
    rule.resources = TextsOf(tree.Get("resources"));
    rule.names = TextsOf(tree.Get("resourceNames"));
    rule.urls = TextsOf(tree.Get("nonResourceURLs"));
    rules.push_back(std::move(rule));
  }
  return rules;
}

bool RuleAllows(const PolicyRule& rule, const Access& access) {
  if (!HasOrAll(rule.verbs, access.verb)) return false;
  if (!access.of_resource()) return SomeUrlMatches(rule.urls, access.path);
  return HasOrAll(rule.groups, access.group) && ResourceMatches(rule, access) &&
         (rule.names.empty() || Has(rule.names, access.name));
}

bool RulesAllow(std::span<const PolicyRule> rules, const Access& access) {
  return std::any_of(rules.begin(), rules.end(),
                     [&access](const PolicyRule& rule) { return RuleAllows(rule, access); });
}

std::vector<PolicyRule> NotCovered(std::span<const PolicyRule> held,
                                   std::span<const PolicyRule> wanted) {
  std::vector<PolicyRule> missing;
  for (const PolicyRule& rule : wanted) {
    for (PolicyRule& part : BreakDown(rule)) {
      const bool covered = std::any_of(
          held.begin(), held.end(), [&part](const PolicyRule& one) { return Covers(one, part); });
      if (!covered) missing.push_back(std::move(part));
    }
  }
  return missing;
}

std::vector<PolicyRule> Compact(std::span<const PolicyRule> rules) {
  std::vector<PolicyRule> compacted;
  for (const PolicyRule& rule : rules) {
    const auto same = std::find_if(compacted.begin(), compacted.end(), [&rule](PolicyRule other) {
      other.verbs = rule.verbs;
      return rule.urls.empty() && other == rule;
    });
    if (same == compacted.end())
      compacted.push_back(rule);
    else
      same->verbs.insert(same->verbs.end(), rule.verbs.begin(), rule.verbs.end());
  }
  return compacted;
}

std::string QuotedList(std::span<const std::string> texts) {
  Texts quoted;
  for (const std::string& text : texts) quoted.push_back(api::GoQuote(text));
  return fmt::format("[{}]", fmt::join(quoted, " "));
}

std::string CompactString(const PolicyRule& rule) {
  const std::pair<std::string_view, const Texts&> lists[] = {{"APIGroups", rule.groups},
                                                             {"Resources", rule.resources},
                                                             {"NonResourceURLs", rule.urls},
                                                             {"ResourceNames", rule.names},
                                                             {"Verbs", rule.verbs}};
  Texts parts;
  for (const auto& [name, list] : lists)
    if (!list.empty()) parts.push_back(fmt::format("{}:{}", name, QuotedList(list)));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace ksim::apiserver::rbac
