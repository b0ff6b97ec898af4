import {releaseName, releaseNamespace} from '../../release.ts'
import {type ReleaseProgress, type RunState, releasesIn} from '../../run/run-state.ts'
import {failureParts} from '../run/failure.ts'
import {testCounts} from '../run/run-words.ts'
import {type Labels, releaseLabels} from '../text/label.ts'
import {type Markup, markup} from './markup.ts'
import {resultText} from './result-text.ts'
import {runSpan} from './run-span.ts'

/**
 * A run as JUnit XML: one suite, one case per release, and one for each test that the pods of `helm test`
 * reported. It is valid by both schemas in use, Ant's (windyroad/JUnit-Schema) and Jenkins' (xunit-plugin
 * junit-10.xsd): therefore no attributes on the root, no time zone in the timestamp (it is UTC), and empty
 * elements at the end of the suite.
 */
export function junitReport(state: RunState): string {
  const {startedAt, seconds, outcome} = runSpan(state)
  const releases = [...state.releases.values()]
  const labels = releaseLabels(state.releases.keys())
  const tests = releases.flatMap((release) => release.tests ?? [])
  const counts = testCounts(tests)
  const failures = releasesIn(state, 'failed').length + counts.failed
  const unended = releasesIn(state, 'running').length + releasesIn(state, 'waiting').length
  const skipped = releasesIn(state, 'skipped').length + counts.skipped
  const properties = Object.entries({
    run: state.run,
    environment: state.environment,
    context: state.context,
    outcome,
  })
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="${state.environment}" package="kk" id="0" timestamp="${new Date(startedAt).toISOString().slice(0, 19)}" hostname="localhost" tests="${releases.length + tests.length}" failures="${failures}" errors="${unended}" skipped="${skipped}" time="${seconds.toFixed(3)}">
    <properties>
${properties.map(([name, value]) => markup`      <property name="${name}" value="${value}"/>\n`)}    </properties>
${releases.flatMap((release) => [releaseCase(release, state.environment, labels), ...testCases(release, state.environment)])}    <system-out/>
    <system-err/>
  </testsuite>
</testsuites>
`.markup
}

function releaseCase(progressed: ReleaseProgress, environment: string, labels: Labels): Markup {
  const {release, progress} = progressed
  const seconds = 'seconds' in progress ? progress.seconds : 0
  const attributes = markup`name="${releaseName(release)}" classname="${environment}.${releaseNamespace(release)}" time="${seconds.toFixed(3)}"`
  const ending = endingOf(progressed, labels)
  return ending
    ? markup`    <testcase ${attributes}>${ending}</testcase>\n`
    : markup`    <testcase ${attributes}/>\n`
}

function testCases({release, tests = []}: ReleaseProgress, environment: string): readonly Markup[] {
  const classname = `${environment}.${releaseNamespace(release)}.${releaseName(release)}`
  return tests.map(({name, outcome, seconds = 0, text = outcome}) => {
    const attributes = markup`name="${name}" classname="${classname}" time="${seconds.toFixed(3)}"`
    if (outcome === 'passed') return markup`    <testcase ${attributes}/>\n`
    const [first = ''] = text.split('\n')
    const ending =
      outcome === 'skipped'
        ? markup`<skipped message="${first}"/>`
        : markup`<failure type="test" message="${text.split('\n').at(-1)!}">${text}</failure>`
    return markup`    <testcase ${attributes}>${ending}</testcase>\n`
  })
}

function endingOf(progressed: ReleaseProgress, labels: Labels): Markup | undefined {
  const {progress} = progressed
  const text = resultText(progressed, labels)
  switch (progress.state) {
    case 'succeeded':
    case 'unchanged':
      return undefined
    case 'failed': {
      const {code, message, blames, log, hint} = failureParts(progress)
      const lines = [
        ...message,
        ...blames.map((cause) => `cause: ${cause}`),
        ...(hint === undefined ? [] : [`hint: ${hint}`]),
        ...log.map((line) => `| ${line}`),
      ]
      return markup`<failure type="${code}" message="${message.join(' ')}">${lines.join('\n')}</failure>`
    }
    case 'skipped':
      return markup`<skipped message="${text}"/>`
    case 'running':
    case 'waiting':
      return markup`<error type="${progress.state}" message="${text}"/>`
  }
}
