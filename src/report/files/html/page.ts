import type {ReleaseId} from '../../../release.ts'
import type {Viz} from '../../graph/graph-svg.ts'
import {type Progress, type RunState, releasesIn} from '../../run/run-state.ts'
import {durationText} from '../../text/duration.ts'
import {releaseLabels} from '../../text/label.ts'
import {foreignMarkup, type Markup, markup} from '../markup.ts'
import {type RunSpan, runSpan} from '../run-span.ts'
import {failuresSection} from './failures-section.ts'
import {graphSection} from './graph-section.ts'
import {releasesSection} from './releases-section.ts'
import {SIGN, WORD} from './state-words.ts'
import {STYLE} from './style.ts'

const OUTCOME = {
  succeeded: {state: 'succeeded', text: 'succeeded'},
  failed: {state: 'failed', text: 'failed'},
  interrupted: {state: 'skipped', text: 'was interrupted'},
  'broken-off': {state: 'failed', text: 'broke off'},
} as const satisfies Record<RunSpan['outcome'], {readonly state: Progress['state']; readonly text: string}>

/**
 * A run as one page that needs nothing beside it: no script, no other file, nothing from the network, which its content
 * security policy also forbids.
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
<p class="outcome"><span class="sign" aria-hidden="true">${SIGN[ending.state]}</span> The run ${ending.text} after ${durationText(seconds)}: ${countsText(state)}</p>
<p class="quiet">${state.run === '' ? 'Nothing was to be done' : `Run ${state.run}`}, <time datetime="${began}">${began.slice(0, 19).replace('T', ' ')} UTC</time></p>
<nav aria-label="On this page"><ul>${failures > 0 ? markup`<li><a href="#failures">Failures (${failures})</a></li>` : markup``}<li><a href="#releases">Releases</a></li><li><a href="#graph">Graph</a></li></ul></nav>
</header>
`
}

function countsText({releases}: RunState): string {
  const states = [...releases.values()].map(({progress}) => progress.state)
  const counts = (Object.keys(WORD) as (keyof typeof WORD)[]).map((state) => ({
    state,
    count: states.filter((each) => each === state).length,
  }))
  const texts = counts.filter(({count}) => count > 0).map(({state, count}) => `${count} ${WORD[state]}`)
  return texts.length === 0 ? 'no releases' : texts.join(', ')
}
