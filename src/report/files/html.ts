import type {ReleaseId} from '../../release.ts'
import {type Progress, type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import {quoted} from '../graph/graph-dot.ts'
import {withoutImplied} from '../graph/graph-reduction.ts'
import type {Viz} from '../graph/graph-svg.ts'
import {allEdges, realGroups} from '../graph/graph-view.ts'
import {type FailureParts, failureParts} from '../run/failure.ts'
import {runGraph, timePathText} from '../run/longest-path.ts'
import {STATE_WORDS} from '../run/run-words.ts'
import {durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {RESULT_SIGNS, releasesSection, type SectionOptions} from './html-releases.ts'
import {foreignMarkup, type Markup, markup} from './markup.ts'
import {type RunSpan, runSpan} from './run-span.ts'

const OUTCOME = {
  succeeded: {state: 'succeeded', text: 'succeeded'},
  failed: {state: 'failed', text: 'failed'},
  interrupted: {state: 'skipped', text: 'was interrupted'},
  'broken-off': {state: 'failed', text: 'broke off'},
} as const satisfies Record<RunSpan['outcome'], {readonly state: Progress['state']; readonly text: string}>

/**
 * Returns a run as one self-contained page: no script, no other file, nothing from the network, which its
 * content security policy also forbids.
 */
export async function htmlReport(state: RunState, loadViz: () => Promise<Viz>): Promise<string> {
  const places = new Map([...state.releases.keys()].map((release, index) => [release, index + 1]))
  const options = {
    state,
    labels: releaseLabels(state.releases.keys()),
    rowOf: (release: ReleaseId) => `release-${places.get(release)}`,
    failureOf: (release: ReleaseId) => `failure-${places.get(release)}`,
  }
  const span = runSpan(state)
  const {text} = OUTCOME[span.outcome]
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${state.environment} on ${state.context} ${text}</title>
<style>${foreignMarkup(STYLE)}</style>
</head>
<body>
${head(state, span)}<main>
${failuresSection(options)}${releasesSection(options)}${await graphSection(options, loadViz)}</main>
</body>
</html>
`.markup
}

function head(state: RunState, {startedAt, seconds, outcome}: RunSpan): Markup {
  const ending = OUTCOME[outcome]
  const began = new Date(startedAt).toISOString()
  const failures = releasesIn(state, 'failed').length
  return markup`<header class="${ending.state}">
<h1>${state.environment} <small>on ${state.context}</small></h1>
<p class="outcome"><span class="sign" aria-hidden="true">${RESULT_SIGNS[ending.state]}</span> The run ${ending.text} after ${durationText(seconds)}: ${countsText(state)}</p>
<p class="quiet">${state.run === '' ? 'Nothing was to be done' : `Run ${state.run}`}, <time datetime="${began}">${began.slice(0, 19).replace('T', ' ')} UTC</time></p>
<nav aria-label="On this page"><ul>${failures > 0 ? markup`<li><a href="#failures">Failures (${failures})</a></li>` : markup``}<li><a href="#releases">Releases</a></li><li><a href="#graph">Graph</a></li></ul></nav>
</header>
`
}

function countsText({releases}: RunState): string {
  const states = [...releases.values()].map(({progress}) => progress.state)
  const counts = (Object.keys(STATE_WORDS) as (keyof typeof STATE_WORDS)[]).map((state) => ({
    state,
    count: states.filter((each) => each === state).length,
  }))
  const texts = counts
    .filter(({count}) => count > 0)
    .map(({state, count}) => `${count} ${STATE_WORDS[state]}`)
  return texts.length === 0 ? 'no releases' : texts.join(', ')
}

/**
 * The maximum number of releases in the graph: Graphviz takes 2 s, and ten times as long for three times as
 * many.
 */
const MAX_GRAPH_RELEASES = 300

/** Returns the graph of requirements, coloured by result, drawn by Graphviz. */
async function graphSection(
  {state, labels, rowOf}: SectionOptions,
  loadViz: () => Promise<Viz>,
): Promise<Markup> {
  const {size} = state.releases
  const path = timePathText(state, labels)
  const drawing =
    size > MAX_GRAPH_RELEASES
      ? markup`<p>A graph of ${size} releases is not drawn; up to ${MAX_GRAPH_RELEASES} are.</p>`
      : markup`<div class="scroll graph" role="region" aria-labelledby="graph" tabindex="0">
${drawn((await loadViz()).renderString(runDot(state, rowOf), {format: 'svg_inline', engine: 'dot'}))}</div>
${when(
  path !== '',
  markup`<p>${path}</p>
`,
)}<p class="quiet">An arrow leads from a release to what it requires, dashed where the objects of that need only exist. Edges that follow from others are omitted.</p>`
  return markup`<section aria-labelledby="graph">
<h2 id="graph">Graph</h2>
${drawing}
</section>
`
}

/** Removes Graphviz' comments and the titles of its parts, which repeat its internal names. */
function drawn(svg: string): Markup {
  return foreignMarkup(svg.replaceAll(/<!--[\s\S]*?-->\n?|<title>[^<]*<\/title>\n?/gu, ''))
}

/** Each failure in full, with its log and what was skipped because of it; nothing when there is none. */
function failuresSection({state, labels, failureOf}: SectionOptions): Markup {
  const failed = releasesIn(state, 'failed')
  if (failed.length === 0) return markup``
  const articles = failed.map(({release, progress}) =>
    failureArticle(failureParts(progress), {
      anchor: failureOf(release),
      name: labels(release),
      took: durationText(progress.seconds),
      skipped: skippedBecauseOf(release, state, labels),
    }),
  )
  return markup`<section aria-labelledby="failures">
<h2 id="failures">Failures</h2>
${articles}</section>
`
}

interface ArticleOptions {
  readonly anchor: string
  readonly name: string
  readonly took: string
  readonly skipped: readonly string[]
}

function failureArticle(failure: FailureParts, {anchor, name, took, skipped}: ArticleOptions): Markup {
  const {code, message, blames, hint, log} = failure
  return markup`<article id="${anchor}" aria-labelledby="${anchor}-name">
<h3 id="${anchor}-name"><span class="sign" aria-hidden="true">✖</span> ${name} failed after ${took}</h3>
<p class="message"><strong>${code}</strong>: ${message.join('\n')}</p>
${when(blames.length > 0, markup`<p>Causes:</p><ul>${blames.map((cause) => markup`<li>${cause}</li>`)}</ul>\n`)}${when(
  hint !== undefined,
  markup`<p><strong>What to do next</strong>: ${hint ?? ''}</p>\n`,
)}${when(skipped.length > 0, markup`<p>Skipped because of it: ${skipped.join(', ')}</p>\n`)}${when(
  log.length > 0,
  markup`<pre role="region" aria-label="Log of ${name}" tabindex="0">${log.join('\n')}</pre>\n`,
)}</article>
`
}

function skippedBecauseOf(failed: ReleaseId, state: RunState, labels: Labels): readonly string[] {
  return releasesIn(state, 'skipped')
    .filter(({progress}) => progress.because === failed)
    .map(({release}) => labels(release))
}

function when(condition: boolean, text: Markup): Markup {
  return condition ? text : markup``
}

/**
 * Text and its ground differ by at least 4.5 to 1 in both schemes, bars and theirs by 3 to 1 (WCAG 2.2, 1.4.3
 * and 1.4.11).
 */
const STYLE = `
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

/**
 * The graph of a run in Graphviz' language: each release with its result, linked to its row. The result is
 * also the class of the node, so that the page's style decides on colours; edges that follow from others are
 * omitted.
 */
function runDot(state: RunState, rowOf: (release: ReleaseId) => string): string {
  const labels = releaseLabels(state.releases.keys())
  const graph = runGraph(state)
  const lines = [
    'digraph run {',
    '  graph [rankdir=TB, bgcolor=transparent, fontname="Helvetica", fontsize=11, nodesep=0.3, ranksep=0.4, pad=0.1];',
    '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=13, margin="0.18,0.08"];',
    '  edge [fontname="Helvetica", fontsize=10, arrowsize=0.7];',
    ...[...state.releases.values()].map((release) => nodeLine(release, labels, rowOf(release.release))),
    ...realGroups(graph).flatMap((members, number) => [
      `  subgraph ${quoted(`cluster_${number}`)} {`,
      '    label="group"; style="rounded,dashed";',
      ...members.map((release) => `    ${quoted(release)};`),
      '  }',
    ]),
    ...allEdges(withoutImplied(graph)).map(({from, to, kind}) => {
      const style = kind === 'applied' ? ' [style=dashed]' : ''
      return `  ${quoted(from)} -> ${quoted(to)}${style};`
    }),
    '}',
  ]
  return `${lines.join('\n')}\n`
}

function nodeLine({release, progress}: ReleaseProgress, labels: Labels, row: string): string {
  const took = 'seconds' in progress ? `, ${durationText(progress.seconds)}` : ''
  const result = `${RESULT_SIGNS[progress.state]} ${STATE_WORDS[progress.state]}${took}`
  const attributes = {
    label: `${labels(release)}\n${result}`,
    class: progress.state,
    URL: `#${row}`,
    tooltip: `${labels(release)}: ${result}`,
  }
  const texts = Object.entries(attributes).map(([name, value]) => `${name}=${quoted(value)}`)
  return `  ${quoted(release)} [${texts.join(', ')}];`
}
