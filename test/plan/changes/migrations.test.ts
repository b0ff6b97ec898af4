import {describe, expect, it} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {migrationsBetween} from '../../../src/verbs/change/rollback.ts'

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
