import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {palette} from '../../src/report/colour.ts'
import {driftText} from '../../src/report/drift/drift-text.ts'
import {errorText} from '../../src/report/error-text.ts'
import {graphTree} from '../../src/report/graph/graph-tree.ts'
import {guardOfferText} from '../../src/report/guard-text.ts'
import {runsText} from '../../src/report/history-text.ts'
import {planText} from '../../src/report/plan/plan-text.ts'
import {BoardView} from '../../src/report/run/board.ts'
import {LinesView} from '../../src/report/run/lines.ts'
import {summaryText} from '../../src/report/run/summary.ts'
import {importText} from '../../src/report/secrets/secrets-text.ts'
import {statusText} from '../../src/report/status/status-text.ts'
import {statusTable} from '../../src/report/status/status-views.ts'
import {type View, viewText} from '../../src/report/text/view.ts'
import type {RunEvent} from '../../src/run/events.ts'
import {NO_RUN, nextState} from '../../src/run/run-state.ts'
import type {ReleaseStatus} from '../../src/verbs/observation/release-status.ts'
import {brokenRun, goodRun, KEYSTONE_FAILURE} from './support/all-in-one.ts'
import {SIX} from './support/graphs.ts'
import {action, MIXED_PLAN, plan} from './support/plans.ts'
import {createScreen} from './support/screen.ts'
import {showTo} from './support/show.ts'

const COLOURS = palette(1)

const STATUS: readonly ReleaseStatus[] = ['keystone', 'openstack-image-service'].map((name) => ({
  release: `openstack/${name}`,
  chart: name,
  version: '2025.2.0-rc.1',
  revision: 12,
  status: 'deployed',
  gate: 'passed',
  inputs: 'changed',
  health: {
    state: 'failed',
    blames: [
      {object: `Deployment/${name}-api`, message: KEYSTONE_FAILURE.message, log: KEYSTONE_FAILURE.log},
    ],
  },
  wanted: false,
  owner: 'production-environment',
  requires: ['openstack/mariadb'],
  dependents: [{release: 'openstack/glance', environment: 'somebody-elses-environment'}],
  missing: ['ConfigMap/keystone-etc', 'ConfigMap/keystone-bin', 'Service/keystone-api'],
}))

const DRIFT = {
  release: 'openstack/keystone',
  revision: 3,
  status: 'deployed',
  objects: [
    {
      kind: 'Deployment',
      name: 'keystone-api',
      namespace: 'openstack',
      state: 'changed',
      fields: [
        {
          path: 'spec.template.spec.containers[main].image',
          live: 'registry.example.org/openstack/keystone:2025.2-noble',
          manifest: 'registry.example.org/openstack/keystone:2025.1-noble',
          manager: 'kubectl-set',
        },
      ],
    },
  ],
  crds: [],
  leftovers: [],
} as const

const LONG_REASONS = [
  'drifted: Secret/keystone-etc data.password; Deployment/keystone-api spec.replicas, spec.template.spec.containers[main].image; Job/keystone-bootstrap is gone',
]

const summaryOf = (events: readonly RunEvent[]) =>
  summaryText(events.reduce(nextState, NO_RUN), {
    palette: COLOURS,
    commands: {
      retryCommand: 'kk deploy environments/all-in-one.yaml --sandbox',
      status: 'kk status environments/all-in-one.yaml',
    },
  })

function linesOf(events: readonly RunEvent[]): string {
  let written = ''
  const view = new LinesView({stream: {write: (text) => (written += text)}, level: 1})
  events.forEach(showTo(view))
  return written
}

/** What people read, before it is laid out for a terminal. */
const VIEWS: Readonly<Record<string, View>> = {
  plan: planText(MIXED_PLAN, COLOURS),
  'plan with long reasons': planText(
    plan({actions: [action('keystone', 'upgrade', {reasons: LONG_REASONS})]}),
    COLOURS,
  ),
  status: statusText(STATUS, COLOURS),
  drift: driftText([DRIFT], COLOURS),
  'an error': errorText(new KkError('KK_UNHEALTHY', KEYSTONE_FAILURE.message, KEYSTONE_FAILURE), COLOURS),
  'the lines of a run': linesOf(brokenRun()),
  'the end of a good run': summaryOf(goodRun()),
  'the end of a broken run': summaryOf(brokenRun()),
  graph: graphTree(SIX, COLOURS),
  "the guard's hint": guardOfferText(
    ['openstack/mariadb', 'openstack/rabbitmq'],
    'environments/all-in-one.yaml',
    COLOURS,
  ),
  history: runsText(
    [
      {
        id: '20261121-083000-3f9a',
        environment: 'all-in-one',
        file: 'all-in-one.yaml',
        verb: 'deploy',
        scope: {names: [], install: true},
        who: 'operator@management-host.example.org',
        process: {host: 'host', pid: 1},
        message: 'more servers of the identity service, as the ticket of yesterday says',
        startedAt: '2026-11-21T08:30:00.123Z',
        outcome: 'failed',
        state: 'failed',
        releases: [],
      },
    ],
    COLOURS,
  ),
  'imported secrets': importText(
    {
      namespace: 'openstack',
      secrets: [
        {name: 'oslo_messaging.neutron.password', from: 'neutron_rabbitmq_password', outcome: 'kept'},
      ],
      unknown: [],
      empty: [],
    },
    {isForeseen: true},
  ),
}

const wordsOf = (text: string) => text.split(/\s+/).filter((word) => word !== '')

const LEFT_OUT = /^\(too narrow for: [a-z, ]+\)$/

/** Each word as often as it stands in the text; what a note says is skipped of a table need not be there. */
function expectWhole(lines: readonly string[], words: readonly string[]): void {
  const shown = wordsOf(lines.filter((line) => !LEFT_OUT.test(line)).join('\n'))
  if (lines.some((line) => LEFT_OUT.test(line))) expect(words).toEqual(expect.arrayContaining(shown))
  else expect(shown.toSorted()).toEqual(words.toSorted())
}

/** Returns the words that a wide terminal without colours shows of a view. */
async function shownWithout(view: View): Promise<readonly string[]> {
  const screen = createScreen(1000, 50)
  screen.stream.write(viewText(view))
  return wordsOf((await screen.everything()).join('\n'))
}

describe.each([80, 200])('output at a width of %i columns', (columns) => {
  it.each(Object.entries(VIEWS))('no word of %s is broken, and nothing is omitted', async (_name, view) => {
    const screen = createScreen(columns, 50)

    screen.stream.write(viewText(view, columns))

    expectWhole(await screen.everything(), await shownWithout(view))
  })

  it.each(['status', 'history'])(
    'each line of the table of %s is aligned with the headings',
    async (name) => {
      const screen = createScreen(columns, 50)

      screen.stream.write(viewText(VIEWS[name]!, columns))

      const [headings = '', ...lines] = await screen.everything()
      const end = lines.findIndex((line) => line === '' || LEFT_OUT.test(line))
      const starts = [...headings.matchAll(/(?<=^| )[a-z]/g)].map(({index}) => index)
      for (const line of lines.slice(0, end < 0 ? undefined : end)) {
        const cells = [...line.matchAll(/(?<=^| {2,})\S/g)].map(({index}) => index)
        const ends = [...headings.matchAll(/[a-z](?= |$)/g)].map(({index}) => index)
        // A number ends where its heading ends.
        for (const at of cells) {
          const last = at + line.slice(at).search(/ |$/) - 1
          expect(starts.includes(at) || ends.includes(last)).toBe(true)
        }
      }
    },
  )

  it('no word of a live view of the status is broken, and nothing is omitted', async () => {
    const screen = createScreen(columns, 200)
    const report = {environment: 'all-in-one', releases: STATUS, notes: []}

    statusTable(screen.stream, 'all-in-one on sandbox', 1)({at: new Date(0), report})

    const [, ...rows] = await screen.everything()
    expectWhole(rows, await shownWithout(statusText(STATUS, COLOURS)))
  })

  it('the board has no broken word in a failure while other releases are running', async () => {
    const screen = createScreen(columns, 50)
    const board = new BoardView({stream: screen.stream, level: 1})
    const isOfMariadb = (event: RunEvent) => 'release' in event && event.release === 'openstack/mariadb'
    brokenRun()
      .filter((event) => event.type !== 'release-succeeded' || !isOfMariadb(event))
      .forEach(showTo(board))
    await board.close()

    const words = wordsOf((await screen.everything()).join('\n'))
    expect(words).toEqual(expect.arrayContaining(wordsOf(KEYSTONE_FAILURE.message)))
  })
})
