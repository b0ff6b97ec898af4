import {describe, expect, it} from 'vitest'
import {followRun} from '../../src/operator/follow-run.ts'
import type {RunEvent} from '../../src/run/events.ts'
import {newInterruption} from '../../src/run/interruption.ts'

const error = {code: 'KK_UNHEALTHY', message: 'not healthy in time', log: []}
const run = {run: 'r', environment: 'production', context: 'c'}

function progressed(release: 'openstack/db' | 'openstack/api', phase: 'helm' | 'gate', at: number): RunEvent {
  return {type: 'release-progressed', at, release, phase, message: ''}
}

it('reports the duration and the result of each awaited gate', async () => {
  const [db, api] = ['openstack/db', 'openstack/api'] as const
  const events: readonly RunEvent[] = [
    {
      ...{type: 'run-started', at: 0, ...run},
      actions: [
        {release: db, kind: 'install', requires: []},
        {release: api, kind: 'upgrade', requires: [db]},
      ],
    },
    {type: 'release-started', at: 0, release: db, kind: 'install'},
    progressed(db, 'helm', 1_000),
    progressed(db, 'gate', 3_000),
    progressed(db, 'gate', 4_000),
    {type: 'release-succeeded', at: 8_000, release: db, kind: 'install', revision: 1, seconds: 8},
    {type: 'release-started', at: 8_000, release: api, kind: 'upgrade'},
    progressed(api, 'gate', 9_000),
    {type: 'release-failed', at: 19_000, release: api, error, seconds: 11},
  ]
  const gates: unknown[] = []

  await followRun(told(events), {
    ...{
      interruption: newInterruption(),
      heartbeat: () => undefined,
      longestActionMs: 1,
      onState: () => undefined,
    },
    onGate: (...gate) => gates.push(gate),
  })

  expect(gates).toEqual([
    [db, 'passed', 5],
    [api, 'failed', 10],
  ])
})

it('reports no gate if none was awaited', async () => {
  const release = 'openstack/db' as const
  const gates: unknown[] = []

  await followRun(
    told([
      {type: 'run-started', at: 0, ...run, actions: [{release, kind: 'relabel', requires: []}]},
      {type: 'release-started', at: 0, release, kind: 'relabel'},
      {type: 'release-succeeded', at: 1_000, release, kind: 'relabel', revision: 1, seconds: 1},
    ]),
    {
      ...{
        interruption: newInterruption(),
        heartbeat: () => undefined,
        longestActionMs: 1,
        onState: () => undefined,
      },
      onGate: (...gate) => gates.push(gate),
    },
  )

  expect(gates).toEqual([])
})

async function* told(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  yield* events
}

describe('a helm process that another process has killed', () => {
  const killed = {
    code: 'KK_HELM_FAILED',
    message: 'openstack/db: helm upgrade was ended by SIGKILL, not by kk',
    log: [],
  }
  const failing = (...errors: readonly (typeof killed)[]) =>
    told([
      {
        ...{type: 'run-started', at: 0, ...run},
        actions: errors.map((_, index) => ({
          ...{release: `openstack/r${index}` as const, kind: 'upgrade' as const, requires: []},
        })),
      },
      ...errors.map(
        (each, index): RunEvent => ({
          ...{type: 'release-failed', at: 1, release: `openstack/r${index}`, error: each, seconds: 1},
        }),
      ),
    ])
  const following = {
    ...{
      interruption: newInterruption(),
      heartbeat: () => undefined,
      longestActionMs: 1,
      onState: () => undefined,
    },
  }

  it('is retried if allowed', async () => {
    const asked: string[] = []
    const mayRetry = () => asked.push('asked') === 1

    await expect(followRun(failing(killed, killed), {...following, mayRetry})).rejects.toMatchObject(killed)

    expect(asked).toEqual(['asked'])
  })

  it('is a failure if it was retried before, or if something else has failed, too', async () => {
    const again = await followRun(failing(killed), {...following, mayRetry: () => false})
    const other = await followRun(failing(killed, error), {...following, mayRetry: () => true})

    expect(again.failure).toBe(`openstack/r0 has failed: ${killed.message}`)
    expect(other.failure).toBe('openstack/r1 has failed: not healthy in time')
  })
})
