import {expect, it} from 'vitest'
import type {RunRelease} from '../../../src/kubernetes/records/runs.ts'
import type {ObservedRelease} from '../../../src/plan/uses/observed.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {findCleanups} from '../../../src/verbs/removal/cleanups.ts'
import {runRecord, runRelease} from '../../kubernetes/support/run-record.ts'

const RELEASE: ReleaseId = 'openstack/heat'
const DATABASE = {kind: 'database', name: 'heat', at: 'mariadb'}
const CRON_JOB = {apiVersion: 'batch/v1', kind: 'CronJob', metadata: {name: 'heat-cleanup'}}

/** What becomes of it when an earlier removal was cut short; runs are newest first. */
function afterCut(isThere: boolean, ...entries: readonly Partial<RunRelease>[]) {
  const runs = entries.map((entry) => runRecord({releases: [runRelease('heat', {kind: 'remove', ...entry})]}))
  const cluster = {
    live: {present: async () => (isThere ? [{object: CRON_JOB, isGoing: false, live: undefined}] : [])},
    runs: {list: async () => runs},
  } as unknown as Parameters<typeof findCleanups>[0]
  const heat = {release: RELEASE, cleanups: [{cronJob: CRON_JOB, made: [DATABASE], used: []}]}
  const uses = {observed: new Map([[RELEASE, heat as unknown as ObservedRelease]])}
  return findCleanups(cluster, uses, {
    environment: 'cloud',
    releases: [RELEASE],
    isWanted: true,
    isBegun: () => true,
  })
}

it('a cleanup is repeated while its CronJob exists', async () => {
  const [cleanup] = await afterCut(true, {deleted: ['database heat']})

  expect(cleanup).toMatchObject({deleted: [DATABASE], stays: []})
})

it.each([
  ['the run before', [{deleted: ['database heat']}]],
  ['one before it', [{}, {deleted: ['database heat']}]],
])('no cleanup is reported after %s has completed it', async (_, entries) => {
  expect(await afterCut(false, ...entries)).toEqual([])
})

it.each([
  ['no run', []],
  ['a run before the release was deployed again', [{}, {kind: 'install'}, {deleted: ['database heat']}]],
])('data is reported to stay if the CronJob is gone and %s has removed it', async (_, entries) => {
  const [cleanup] = await afterCut(false, ...entries)

  expect(cleanup!.deleted).toEqual([])
  expect(cleanup!.stays).toMatchObject([{...DATABASE, why: expect.stringContaining('deploy the release')}])
})
