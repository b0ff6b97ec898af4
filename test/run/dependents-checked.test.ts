import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {Records} from '../../src/kubernetes/records/records.ts'
import {UNCHECKED_LABEL} from '../../src/plan/labels.ts'
import type {Plan} from '../../src/plan/plan.ts'
import {releaseName} from '../../src/release.ts'
import {clearRecheckNotes} from '../../src/run/dependents-checked.ts'
import {run} from '../../src/run/run.ts'
import type {Perform} from '../../src/run/task.ts'
import {id} from '../graph/graph-of.ts'
import {port} from '../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../plan/fixtures.ts'
import {planOf} from './plan-of.ts'

const SOME = {mariadb: [], keystone: ['mariadb'], glance: ['keystone'], horizon: ['mariadb']}
const KINDS = {mariadb: 'upgrade', keystone: 'upgrade', glance: 'check', horizon: 'check'} as const

/** A plan that changes mariadb and keystone, and checks glance for keystone, horizon for mariadb. */
function plan(): Plan {
  const made = planOf(SOME, KINDS)
  const actions = made.actions.map((action) =>
    action.kind === 'upgrade' ? {...action, rechecks: true as const} : action,
  )
  return {...made, actions}
}

/** Notes by a cluster whose records all say that dependents are unchecked after `noted`. */
async function noting(
  succeeded: readonly string[],
  {noted = '2', error}: {noted?: string; error?: KkError} = {},
) {
  const patched: [string, object][] = []
  const events: string[] = []
  const cluster = {
    records: port<Records>({
      async last(release) {
        const record = recordOf(desiredOf(release.split('/')[1]!))
        return {...record, labels: {...record.labels, [UNCHECKED_LABEL]: noted}}
      },
      async label(record, labels) {
        if (error) throw error
        patched.push([record.release, labels])
      },
    }),
  }
  const perform: Perform = async ({release}) => {
    if (!succeeded.includes(releaseName(release))) throw new KkError('KK_UNHEALTHY', 'not healthy')
    return {revision: 2}
  }
  const observers = [clearRecheckNotes({plan: plan(), cluster})]
  for await (const event of run({run: 'r1', plan: plan(), perform, concurrency: 8, observers}))
    events.push(event.type === 'run-warned' ? event.message : event.type)
  return {patched, events}
}

const ALL = ['mariadb', 'keystone', 'glance', 'horizon']

describe('the note that dependents must be checked', () => {
  it('is removed when all of them have passed', async () => {
    const {patched} = await noting(ALL)

    expect(patched).toEqual([
      [id('mariadb'), {[UNCHECKED_LABEL]: null}],
      [id('keystone'), {[UNCHECKED_LABEL]: null}],
    ])
  })

  it.each([
    {what: 'one did not pass', succeeded: ['mariadb', 'keystone', 'glance'], gone: ['keystone']},
    {
      what: 'one that requires it through another did not',
      succeeded: ['mariadb', 'keystone', 'horizon'],
      gone: [],
    },
    {what: 'it has not passed its own', succeeded: ['mariadb', 'horizon'], gone: []},
  ])('stays if $what', async ({succeeded, gone}) => {
    const {patched} = await noting(succeeded)

    expect(patched.map(([release]) => release)).toEqual(gone.map(id))
  })

  it('is not touched on another revision', async () => {
    expect((await noting(ALL, {noted: '1'})).patched).toEqual([])
  })

  it('may stay if it cannot be removed: the run warns, and ends as it would', async () => {
    const lost = await noting(ALL, {error: new KkError('KK_UNREACHABLE', 'gone')})
    const raced = await noting(ALL, {error: new KkError('KK_RACED', 'changed')})

    expect(lost.events.slice(-2)).toEqual([
      'openstack/keystone: its dependents are checked again by the next run: gone',
      'run-finished',
    ])
    expect(raced.events.at(-2)).toBe('release-succeeded')
  })
})
