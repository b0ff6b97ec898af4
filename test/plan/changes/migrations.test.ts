import {describe, expect, it} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {
  dumpBetween,
  dumpOfState,
  migrationsBetween,
  restoreCronJob,
} from '../../../src/plan/changes/migrations.ts'

function job(name: string, image: string, annotations: Record<string, string> = MIGRATES): KubernetesObject {
  return {apiVersion: 'batch/v1', kind: 'Job', metadata: {name, annotations}, spec: {image}}
}

const MIGRATES = {'kk.openstack.org/migration': 'true'}
const MIGRATES_NOT = {'kk.openstack.org/migration': 'false'}

describe('migrations between two revisions', () => {
  it.each([
    {what: 'exclude an unchanged job', last: [job('sync', 'a')], target: [job('sync', 'a')], found: []},
    {
      what: 'include a job with another spec',
      last: [job('sync', 'b')],
      target: [job('sync', 'a')],
      found: ['sync'],
    },
    {
      what: 'include a job with another name',
      last: [job('sync-2', 'a')],
      target: [job('sync-1', 'a')],
      found: ['sync-1', 'sync-2'],
    },
    {what: 'include a new job', last: [job('sync', 'a')], target: [], found: ['sync']},
    {
      what: 'exclude a job that migrates nothing',
      last: [job('bootstrap', 'b', {})],
      target: [job('bootstrap', 'a', {})],
      found: [],
    },
    {
      what: 'exclude a job with the annotation "false"',
      last: [job('bootstrap', 'b', MIGRATES_NOT)],
      target: [job('bootstrap', 'a', MIGRATES_NOT)],
      found: [],
    },
  ])('$what', ({last, target, found}) => {
    expect(migrationsBetween(last, target)).toEqual(found)
  })
})

const dumping = (name: string): KubernetesObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name,
    labels: {'app.kubernetes.io/instance': 'keystone'},
    annotations: {...MIGRATES, 'kk.openstack.org/dumps': 'dumps'},
  },
})

describe('a dump before a migration', () => {
  it('is that of the new job which is annotated with a claim', () => {
    const next = [job('migrate-2', 'b'), dumping('expand-2')]

    expect(dumpBetween(next, [job('migrate-1', 'a'), dumping('expand-1')])).toEqual({
      claim: 'dumps',
      directory: 'keystone',
      job: 'expand-2',
    })
  })

  it.each([
    ['the job that dumps is unchanged', [dumping('expand-1'), job('migrate-2', 'b')]],
    ['no job dumps', [job('expand-2', 'b')]],
  ])('is not taken if %s', (_, next) => {
    expect(dumpBetween(next, [dumping('expand-1'), job('migrate-1', 'a')])).toBeUndefined()
  })

  it('with the state of a revision is that of the first migration after it', () => {
    const later = [[dumping('expand-1')], [dumping('expand-2')], [dumping('expand-3')]]

    expect(dumpOfState([dumping('expand-1')], later)?.job).toBe('expand-2')
  })

  it('does not exist for a revision whose next migration took none, although later ones did', () => {
    const later = [[job('expand-2', 'b')], [dumping('expand-3')]]

    expect(dumpOfState([job('expand-1', 'a')], later)).toBeUndefined()
  })

  it('is restored from the CronJob of that component', () => {
    const cronJob = (name: string, component: string): KubernetesObject => ({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: {name, labels: {'app.kubernetes.io/component': component}},
    })

    expect(restoreCronJob([cronJob('a', 'cleanup'), cronJob('b', 'db-restore')])).toBe('b')
    expect(restoreCronJob([cronJob('a', 'cleanup')])).toBeUndefined()
  })
})
