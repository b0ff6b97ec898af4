import type {ReleaseId} from '../../release.ts'
import {type Progress, type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import {drawnGraph, GRAPH_LEGEND, type GraphNode, tooLarge} from '../graph/graph-html.ts'
import type {Viz} from '../graph/graph-svg.ts'
import {type FailureParts, failureParts} from '../run/failure.ts'
import {runGraph, timePathText} from '../run/longest-path.ts'
import {STATE_WORDS} from '../run/run-words.ts'
import {durationText} from '../text/duration.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {RESULT_SIGNS, releasesSection, type SectionOptions} from './html-releases.ts'
import {HTML_STYLE} from './html-style.ts'
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
<style>${foreignMarkup(HTML_STYLE)}</style>
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

/** Returns the graph of requirements, coloured by result, drawn by Graphviz. */
async function graphSection(
  {state, labels, rowOf}: SectionOptions,
  loadViz: () => Promise<Viz>,
): Promise<Markup> {
  const path = timePathText(state, labels)
  const node = (release: ReleaseId) => resultNode(state.releases.get(release)!, rowOf)
  const graph = await drawnGraph({graph: runGraph(state), labels, node}, loadViz)
  const drawing = graph
    ? markup`<div class="scroll graph" role="region" aria-labelledby="graph" tabindex="0">
${graph}</div>
${when(
  path !== '',
  markup`<p>${path}</p>
`,
)}<p class="quiet">${GRAPH_LEGEND}</p>`
    : tooLarge(state.releases.size)
  return markup`<section aria-labelledby="graph">
<h2 id="graph">Graph</h2>
${drawing}
</section>
`
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

/** Returns the node of a release in the graph: its result, linked to its row. */
function resultNode({release, progress}: ReleaseProgress, rowOf: SectionOptions['rowOf']): GraphNode {
  const took = 'seconds' in progress ? `, ${durationText(progress.seconds)}` : ''
  const text = `${RESULT_SIGNS[progress.state]} ${STATE_WORDS[progress.state]}${took}`
  return {text, state: progress.state, address: `#${rowOf(release)}`}
}
