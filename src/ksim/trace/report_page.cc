#include "ksim/trace/report_page.h"

namespace ksim::trace {

const std::string_view kReportStyle = R"css(
:root { color-scheme: light dark;
  --bg: #ffffff; --fg: #1b1f24; --dim: #636c76; --line: #d5dae0; --soft: #f3f5f7; --link: #0a58ca;
  --good: #1a7f37; --bad: #c62828; --band: rgba(213, 94, 0, .14); --pick: #d6006c;
  --request: #0072b2; --commit: #00805c; --deliver: #b87500; --reconcile: #8a4fb5;
  --handler: #2b8cbe; --fault: #d55e00; --other: #7a828c; }
@media (prefers-color-scheme: dark) { :root {
  --bg: #12161c; --fg: #e3e8ee; --dim: #96a1ad; --line: #333b45; --soft: #1c222a; --link: #79b4ff;
  --good: #57c773; --bad: #ff7b72; --band: rgba(255, 140, 60, .17); --pick: #ff5fa8;
  --request: #5eb1ef; --commit: #2fc79a; --deliver: #f0b03f; --reconcile: #c495ee;
  --handler: #8fd0f5; --fault: #ff8f45; --other: #98a2ae; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.2rem 1.6rem 4rem; max-width: 1500px; background: var(--bg);
  color: var(--fg); font: 14px/1.45 system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
h1 { font-size: 1.5rem; margin: .2rem 0 .5rem; }
h2 { font-size: 1.1rem; margin: 0; display: inline; }
section { margin-top: 1.6rem; }
section > h2 { display: block; margin-bottom: .5rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
code, pre, .mono { font: 12.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.dim, .dim td, .facts { color: var(--dim); }
.facts { margin: .3rem 0; }
.verdict { color: var(--bg); border-radius: 5px; padding: .05em .5em; margin-right: .3em; }
.verdict.good { background: var(--good); }
.verdict.bad { background: var(--bad); }
.command { display: flex; justify-content: space-between; gap: 1rem; margin: .35rem 0; padding:
  .45rem .7rem; background: var(--soft); border-radius: 6px; overflow-x: auto; max-width: 60rem; }
.violations { margin: 0; padding-left: 1.6rem; }
.violations li { margin-bottom: .7rem; }
.violations b, tr.bad td:nth-child(2) { color: var(--bad); }
tr.good td:nth-child(2) { color: var(--good); }
table { border-collapse: collapse; }
th { text-align: left; color: var(--dim); font-weight: 600; }
td, th { padding: .16rem .9rem .16rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); }
.numbers td:not(:first-child), .numbers th:not(:first-child) { text-align: right;
  font-variant-numeric: tabular-nums; }
summary { cursor: pointer; }
details > table { margin-top: .5rem; }
.note { background: var(--soft); border-left: 3px solid var(--deliver); padding: .4rem .8rem;
  margin: .6rem 0; }
.tools { display: flex; flex-wrap: wrap; gap: .4rem .5rem; align-items: center; margin: .4rem 0; }
button, select, input[type=search] { font: inherit; color: var(--fg); background: var(--bg);
  border: 1px solid var(--line); border-radius: 5px; padding: .15rem .55rem; }
button:hover { background: var(--soft); cursor: pointer; }
input[type=search] { width: 18rem; max-width: 100%; }
.kinds label { margin-right: .7rem; white-space: nowrap; }
#chart { position: relative; border: 1px solid var(--line); border-radius: 6px;
  overflow: hidden auto; max-height: 80vh; user-select: none; cursor: crosshair; }
#chart svg { display: block; }
svg text { fill: var(--fg); font-size: 11.5px; }
svg .small { fill: var(--dim); font-size: 10.5px; }
svg .lane { stroke: var(--line); stroke-width: 1; }
svg .process { fill: var(--soft); }
svg .band { fill: var(--band); }
svg .bandtext { fill: var(--fault); font-size: 10.5px; }
svg .phase { stroke: var(--dim); stroke-dasharray: 2 3; }
svg .violated { stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 5 3; }
svg .arrow { stroke: var(--deliver); stroke-width: 1; opacity: .75; fill: none; }
svg .call { stroke: var(--request); stroke-width: 1; opacity: .45; fill: none; }
svg .lost { stroke: var(--bad); stroke-width: 1.3; fill: none; }
svg .chain { stroke: var(--pick); stroke-width: 1.8; fill: none; opacity: .9; }
svg .chosen { stroke: var(--pick); stroke-width: 2.2; fill: none; }
svg .drag { fill: var(--link); opacity: .18; }
.k-request, .k-response { fill: var(--request); }
.k-commit, .k-compact { fill: var(--commit); }
.k-event, .k-deliver, .k-watch { fill: var(--deliver); }
.k-handler { fill: var(--handler); }
.k-reconcile { fill: var(--reconcile); }
.k-fault { fill: var(--fault); }
.k-violation { fill: var(--bad); }
.k-relist, .k-cache, .k-runtime, .k-phase, .k-actor, .k-step, .k-stage { fill: var(--other); }
svg .bar { opacity: .38; }
svg text.inbar { font-size: 10px; pointer-events: none; }
#tip { position: absolute; display: none; pointer-events: none; max-width: 34rem; padding: .25rem
  .5rem; background: var(--fg); color: var(--bg); border-radius: 5px; font-size: 12px; z-index: 2;
  overflow-wrap: anywhere; }
#legend { color: var(--dim); font-size: 12px; margin: .35rem 0; }
#legend svg { vertical-align: -3px; margin: 0 .15rem 0 .7rem; }
#detail { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.6rem;
  margin-top: .8rem; }
#detail h3 { font-size: 1rem; margin: 0 0 .4rem; }
#detail table + h3 { margin-top: .8rem; }
#detail ol { margin: 0 0 .8rem; padding-left: 0; list-style: none; }
#detail li { padding: .1rem 0 .1rem .7rem; border-left: 2px solid var(--line); }
#detail li.here { border-left-color: var(--pick); font-weight: 600; }
td.value { overflow-wrap: anywhere; }
.old { color: var(--bad); } .new { color: var(--good); } .plain .new { color: inherit; }
.objects > details { border-bottom: 1px solid var(--line); padding: .2rem 0; }
.objects > details > table { margin: .3rem 0 .8rem 1rem; width: calc(100% - 1rem); }
.objects td { overflow-wrap: anywhere; }
.objects td.fit { white-space: nowrap; }
@media (max-width: 800px) { #detail { grid-template-columns: minmax(0, 1fr); } }
@media print { .tools, button { display: none; } }
)css";

const std::string_view kReportTimeline = R"html(<section id="timeline"><h2>Timeline</h2>
<noscript><p class="note">The timeline and the objects need scripts; the rest of this page does
not.</p></noscript>
<div class="tools">
<select id="axis" title="what lies from left to right"><option value="order">in order</option>
<option value="time">by time</option></select>
<button id="in" title="+">zoom in</button><button id="out" title="-">zoom out</button>
<button id="all" title="0">all</button>
<button id="prev" title="k">&lsaquo; earlier</button>
<button id="next" title="j">later &rsaquo;</button>
<button id="wrong" title="n">next violation</button>
<input id="filter" type="search" title="/" placeholder="filter: words of an event or an actor">
<details class="kinds"><summary>kinds</summary><span id="kinds"></span></details>
</div>
<div id="chart"><div id="tip"></div></div>
<div id="legend"></div>
<div id="detail"></div>
</section>
)html";

const std::string_view kReportObjects = R"html(<section><h2>Objects, revision by revision</h2>
<div class="tools"><input id="object-filter" type="search" placeholder="filter: pods web">
<label><input id="all-objects" type="checkbox"> leases and events too</label></div>
<div class="objects" id="objects"></div>
</section>
)html";

}  // namespace ksim::trace
