import {expect, it} from 'vitest'
import type {ReleaseCleanup} from '../../../src/plan/removal/cleanup.ts'
import {palette} from '../../../src/report/colour.ts'
import {cleanupDocument, cleanupText, resourcesLeftText} from '../../../src/report/plan/cleanup-text.ts'
import {viewText} from '../../../src/report/text/view.ts'

const cronJob = {apiVersion: 'batch/v1', kind: 'CronJob', metadata: {name: 'nova-cleanup'}}
const cleanups: readonly ReleaseCleanup[] = [
  {
    release: 'openstack/nova',
    cronJob,
    deleted: [
      {kind: 'service', name: 'nova', at: 'keystone-api'},
      {kind: 'database', name: 'nova_api', at: 'mariadb-server'},
    ],
    stays: [{kind: 'user', name: 'nova', at: 'keystone-api', why: 'neutron has it, too'}],
  },
]

it('resources in other services are shown as two lists, deleted and kept ones', () => {
  expect(viewText(cleanupText(cleanups, palette(0)))).toMatchInlineSnapshot(`
    "is deleted from other services permanently
      nova  service   nova      keystone-api
      nova  database  nova_api  mariadb-server

    stays in other services
      nova  user  nova  keystone-api  neutron has it, too
    "
  `)
})

it('empty lists of resources are omitted', () => {
  const [nova] = cleanups

  expect(viewText(cleanupText([], palette(0)))).toBe('')
  expect(viewText(resourcesLeftText([{...nova!, stays: []}], palette(0)))).toBe('')
  expect(viewText(cleanupText([{...nova!, deleted: []}], palette(0)))).not.toContain('is deleted')
})

it('kept resources are shown with the way to delete them later', () => {
  const [nova] = cleanups

  expect(viewText(resourcesLeftText(cleanups, palette(0)))).not.toContain('--purge')
  expect(viewText(resourcesLeftText([{...nova!, deleted: []}], palette(0)))).toMatchInlineSnapshot(`
    "left in other services
      nova  user  nova  keystone-api  neutron has it, too
    to remove what only a release used, deploy it once more, then kk remove it with --purge
    "
  `)
})

it('the document of a removal has the same resources', () => {
  expect(cleanupDocument(cleanups)).toMatchObject({
    goes: [
      {release: 'openstack/nova', kind: 'service'},
      {name: 'nova_api', at: 'mariadb-server'},
    ],
    stays: [{release: 'openstack/nova', why: 'neutron has it, too'}],
  })
})
