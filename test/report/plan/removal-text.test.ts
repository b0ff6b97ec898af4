import {expect, it} from 'vitest'
import type {ReleaseRemoval} from '../../../src/plan/removal/objects.ts'
import {palette} from '../../../src/report/colour.ts'
import {objectsLeftText, removalDocument, removalText} from '../../../src/report/plan/removal-text.ts'
import {viewText} from '../../../src/report/text/view.ts'

const namespace = 'openstack'
const removals: readonly ReleaseRemoval[] = [
  {
    release: 'openstack/mariadb',
    deleted: [
      {kind: 'Service', name: 'mariadb', namespace},
      {kind: 'Service', name: 'peers', namespace},
      {kind: 'StatefulSet', name: 'mariadb', namespace},
      {kind: 'PersistentVolumeClaim', name: 'backup', namespace, with: 'with its data'},
    ],
    stays: [
      {kind: 'PersistentVolumeClaim', name: 'data-mariadb-0', namespace, why: 'claim'},
      {kind: 'Job', name: 'bootstrap', namespace: 'elsewhere', why: 'hook'},
    ],
  },
  {release: 'openstack/empty', deleted: [], stays: []},
]

it('a removal shows removed and kept objects as two lists', () => {
  expect(viewText(removalText(removals, palette(0)))).toMatchInlineSnapshot(`
    "to be deleted
      mariadb  Service                mariadb, peers
               StatefulSet            mariadb
               PersistentVolumeClaim  backup          with its data
      empty    no objects

    stays: helm leaves it behind
      mariadb  PersistentVolumeClaim/data-mariadb-0  claim of its StatefulSet
      mariadb  Job/bootstrap in elsewhere            made by a hook
               Namespace/openstack                   helm deletes no namespace
    "
  `)
})

it('objects that helm deleted and that still exist are shown as being deleted', () => {
  const left: ReleaseRemoval = {
    release: 'openstack/mariadb',
    deleted: [{kind: 'Service', name: 'mariadb', namespace, with: 'still being deleted'}],
    stays: removals[0]!.stays,
  }

  expect(viewText(objectsLeftText([left], palette(0)))).toMatchInlineSnapshot(`
    "left on the cluster
      mariadb  Service/mariadb                       still being deleted
      mariadb  PersistentVolumeClaim/data-mariadb-0  claim of its StatefulSet
      mariadb  Job/bootstrap in elsewhere            made by a hook
               Namespace/openstack                   helm deletes no namespace
    "
  `)
})

it('a namespace that is removed is not among the kept objects', () => {
  const goes = [{kind: 'Namespace', name: namespace, namespace, with: 'with everything in it'}]

  expect(
    viewText(removalText([{release: 'openstack/base', deleted: goes, stays: []}], palette(0))),
  ).not.toContain('helm deletes no namespace')
})

it('the document of a removal has the same objects', () => {
  expect(removalDocument(removals)).toMatchObject({
    goes: [{release: 'openstack/mariadb', kind: 'Service', name: 'mariadb'}, {}, {}, {with: 'with its data'}],
    stays: [
      {name: 'data-mariadb-0', why: 'claim'},
      {namespace: 'elsewhere', why: 'hook'},
    ],
  })
})
