import {expect, it} from 'vitest'
import {palette} from '../../src/report/colour.ts'
import {driftText} from '../../src/report/drift/drift-text.ts'
import {viewText} from '../../src/report/text/view.ts'
import type {ReleaseDrift} from '../../src/verbs/observation/drift.ts'

function driftOf(release: ReleaseDrift['release'], exportedTo?: string): ReleaseDrift {
  const object = {apiVersion: 'v1', kind: 'ConfigMap', namespace: 'openstack', name: 'x'}
  return {
    ...{release, revision: 1, status: 'deployed', crds: [], leftovers: []},
    objects: [{...object, state: 'gone', fields: []}],
    ...(exportedTo !== undefined && {exportedTo}),
  }
}

function hints(...drifts: readonly ReleaseDrift[]): readonly string[] {
  return viewText(driftText(drifts, palette(0)))
    .split('\n')
    .filter((line) => line.startsWith('hint'))
}

it('drift of a release that was handed over has a hint to correct it with its tool', () => {
  const [ours, fluxs] = [driftOf('openstack/db'), driftOf('openstack/api', 'flux')]
  const byKk = 'hint: to bring back what the manifest says: kk upgrade db --correct-drift'
  const byFlux =
    'hint: openstack/api was handed over to flux: correct it there, or take it back with kk adopt api'

  expect(hints(ours)).toEqual([byKk])
  expect(hints(fluxs)).toEqual([byFlux])
  expect(hints(ours, fluxs)).toEqual([byKk, byFlux])
})
