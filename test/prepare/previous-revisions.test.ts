import {expect, it} from 'vitest'
import type {Records} from '../../src/kubernetes/records/records.ts'
import type {StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import type {Action, ActionKind} from '../../src/plan/plan.ts'
import {previousRevisions} from '../../src/prepare/previous-revisions.ts'
import {id} from '../graph/graph-of.ts'
import {port} from '../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../plan/fixtures.ts'
import {planOf} from '../run/plan-of.ts'

/**
 * The revisions with which an action on a release is compared that has one revision of this status, or none.
 */
async function comparedWith(kind: ActionKind, status?: string): Promise<readonly string[] | undefined> {
  const {actions, ...plan} = planOf({keystone: []}, {keystone: kind})
  const revision = status === undefined ? 0 : 1
  const record = recordOf(desiredOf('keystone'), {revision: 1, status: status ?? ''})
  const cluster = {
    records: port<Records>({
      stored: async () => (status === undefined ? undefined : (record as unknown as StoredRelease)),
      revisions: async () => [record],
    }),
  }
  const found = await previousRevisions(
    {...plan, actions: actions.map((action): Action => ({...action, revision}))},
    cluster,
  )
  return found.get(id('keystone'))?.map(({status: each}) => each)
}

it.each<[string, ActionKind, string | undefined, readonly string[] | undefined]>([
  ['an upgrade', 'upgrade', 'deployed', ['deployed']],
  ['an install over what another has left', 'install', 'failed', ['failed']],
  ['an install over the history of a release', 'install', 'uninstalled', undefined],
  ['a new release', 'install', undefined, undefined],
  ['a release that stays as it is', 'unchanged', 'deployed', undefined],
])('%s is compared with existing revisions', async (_, kind, status, revisions) => {
  expect(await comparedWith(kind, status)).toEqual(revisions)
})
