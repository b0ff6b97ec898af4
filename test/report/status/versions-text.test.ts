import {expect, it} from 'vitest'
import type {PartVersions} from '../../../src/audit/versions.ts'
import {palette} from '../../../src/report/colour.ts'
import {versionsText} from '../../../src/report/status/versions-text.ts'
import {viewText} from '../../../src/report/text/view.ts'

const one = (kind: PartVersions['kind'], name: string, version: string): PartVersions => ({
  ...{kind, name},
  versions: [{version, of: ['x']}],
})
const text = (...parts: readonly PartVersions[]) => viewText(versionsText({parts, notAsked: []}, palette(0)))

it('the images of a release with one tag are one row', () => {
  const shown = text(
    one('image', 'nova/api', 'registry:5000/kk/nova-api:2'),
    one('image', 'nova/compute', 'registry:5000/kk/nova-compute:2'),
    one('image', 'glance/api', 'registry:5000/kk/glance-api@sha256:ab'),
    one('schema', 'nova api', 'b2'),
  )

  expect(shown).toBe(
    [
      'PART                VERSION',
      'images of nova      2',
      'images of glance    sha256:ab',
      'schema of nova api  b2',
      '',
      'one version runs of each of 4 parts\n',
    ].join('\n'),
  )
})

it('a part of which several versions run names what has them', () => {
  const nova = one('image', 'nova/api', 'registry/nova-api:2')
  const instances = Array.from({length: 7}, (_, index) => `i${index}`)
  const qemu: PartVersions = {
    ...{kind: 'QEMU', name: 'libvirt'},
    versions: [
      {version: '10.0.3', of: ['node-1']},
      {version: '10.0.2', of: instances},
    ],
  }

  expect(text(nova, one('image', 'nova/compute', 'registry/nova-compute:1'), qemu)).toBe(
    [
      'PART                   VERSION',
      'image of nova/api      registry/nova-api:2',
      'image of nova/compute  registry/nova-compute:1',
      'QEMU                   2 versions',
      '  10.0.3: node-1',
      '  10.0.2: i0, i1, i2, i3, i4, 2 more',
      '',
      'several versions run of 1 of 3 parts\n',
    ].join('\n'),
  )
})

it('nothing is not one version', () => {
  expect(text()).toContain('no versions were found')
})
