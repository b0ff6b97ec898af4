/**
 * Text and its ground differ by at least 4.5 to 1 in both schemes, bars and theirs by 3 to 1 (WCAG 2.2, 1.4.3
 * and 1.4.11).
 */
export const HTML_STYLE = `
:root {
  color-scheme: light dark;
  --ground: #ffffff; --text: #1c2430; --quiet: #566070; --line: #d5dbe3; --panel: #f5f7fa; --link: #0b57b0;
  --succeeded: #1a7f3c; --succeeded-soft: #d3f0dc;
  --failed: #c42b1c; --failed-soft: #fbdcd8;
  --skipped: #8a5a00; --skipped-soft: #faeccb;
  --other: #5d6878; --other-soft: #e8ecf1;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161c; --text: #e4e9f0; --quiet: #9aa6b6; --line: #333d4a; --panel: #1b2129; --link: #7db4ff;
    --succeeded: #4cc274; --succeeded-soft: #17392a;
    --failed: #ff7b6b; --failed-soft: #4a1f1c;
    --skipped: #e0b04c; --skipped-soft: #3d3117;
    --other: #93a0b1; --other-soft: #2a323d;
  }
}
.succeeded { --strong: var(--succeeded); --soft: var(--succeeded-soft); }
.failed { --strong: var(--failed); --soft: var(--failed-soft); }
.skipped { --strong: var(--skipped); --soft: var(--skipped-soft); }
.unchanged, .running, .waiting { --strong: var(--other); --soft: var(--other-soft); }
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; }
header { border-left: .4rem solid var(--strong); padding-left: 1rem; }
h1 { margin: 0; font-size: 1.6rem; }
h1 small { font-weight: normal; color: var(--quiet); }
h2 { margin: 2rem 0 .6rem; font-size: 1.25rem; }
h3 { margin: 0 0 .5rem; font-size: 1.05rem; color: var(--failed); }
p { margin: .4rem 0; }
a { color: var(--link); }
a:focus-visible, [tabindex]:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
:target { outline: 2px solid var(--link); outline-offset: 2px; }
small, .quiet { color: var(--quiet); font-size: .875rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: 1.2rem; margin: .6rem 0 0; padding: 0; }
.outcome { font-size: 1.1rem; }
.outcome .sign, .result .sign { color: var(--strong); font-weight: bold; }
.only-heard { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .4rem; }
article { margin: 0 0 1rem; padding: .8rem 1rem; border: 1px solid var(--line); border-left: .3rem solid var(--failed);
  border-radius: .4rem; }
.message { white-space: pre-wrap; overflow-wrap: anywhere; }
pre { margin: .6rem 0 0; padding: .7rem .9rem; overflow-x: auto; max-height: 30rem; background: var(--panel);
  border-radius: .3rem; font: .85rem/1.45 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .35rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tbody tr:last-child > * { border-bottom: 0; }
thead th { color: var(--quiet); font-size: .875rem; white-space: nowrap; }
tbody th { font-weight: 600; }
td small { display: block; }
.result { min-width: 11rem; }
.start, .took { min-width: 6rem; }
.result a { color: var(--strong); }
.lane-head, .lane-cell { width: 45%; min-width: 18rem; }
.axis { position: relative; height: 1.3rem; font-weight: normal; font-variant-numeric: tabular-nums; }
.axis span { position: absolute; border-left: 1px solid var(--line); padding-left: .25rem; }
.lane { position: relative; height: 1.5rem; background: repeating-linear-gradient(to right, var(--line) 0 1px, transparent 1px var(--step)); }
.bar { position: absolute; top: .2rem; bottom: .2rem; min-width: 2px; box-sizing: border-box; border-radius: .15rem;
  background: var(--soft); border: 1px solid var(--strong); forced-color-adjust: none; }
.bar.helm { background: var(--strong); }
.graph { padding: .5rem; text-align: center; }
.graph svg { max-width: none; }
.graph .node path, .graph .node polygon { fill: var(--soft); stroke: var(--strong); stroke-width: 1.5; }
.graph text { fill: var(--text); }
.graph .edge path { stroke: var(--quiet); }
.graph .edge polygon { stroke: var(--quiet); fill: var(--quiet); }
.graph .cluster path { stroke: var(--quiet); }
.graph a { text-decoration: none; }
@media print { .scroll, pre { overflow: visible; max-height: none; } body { max-width: none; } }
`
