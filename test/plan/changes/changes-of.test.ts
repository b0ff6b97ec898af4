import {describe, expect, test} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {changesOf} from '../../../src/plan/changes/changes-of.ts'
import {desiredOf, type Recorded, recordOf, type Wanted} from '../fixtures.ts'

interface Side extends Wanted {
  readonly values?: Values
  readonly appVersion?: string
}

/** A release with these values in its section. */
function sideOf({values = {}, appVersion = '2025.1', ...wanted}: Side) {
  const desired = desiredOf('keystone', {...wanted, layers: {section: values, ...wanted.layers}})
  return {desired: {...desired, chart: {...desired.chart, appVersion}}, values}
}

function storedOf(side: Side, recorded: Recorded = {}) {
  const {desired, values} = sideOf(side)
  return {...recordOf(desired, recorded), chart: desired.chart, values}
}

const changes = (before: Side, after: Side, recorded?: Recorded) =>
  changesOf(sideOf(after), [storedOf(before, recorded)])

describe('the changes of an upgrade', () => {
  test.each<[string, Side, Side, string[]]>([
    ['a value', {values: {replicas: 1}}, {values: {replicas: 2}}, ['values']],
    ['a list', {values: {hosts: ['a']}}, {values: {hosts: ['a', 'b']}}, ['values']],
    ['a tag of the same release', {}, {values: {images: {tag: '2025.1-debian'}}}, ['image']],
    ['a tag of another release', {}, {values: {images: {tag: '2025.2'}}}, ['openstack-release']],
    [
      'an image of another release',
      {values: {images: {tags: {api: 'registry/k:epoxy'}}}},
      {values: {images: {tags: {api: 'registry/k:2026.1'}}}},
      ['openstack-release'],
    ],
    [
      'a tag of the release that it is of already',
      {values: {images: {tag: '2026.1-debian'}}},
      {values: {images: {tag: '2026.1-ubuntu'}}},
      ['image'],
    ],
    ['a tag that is taken away', {values: {images: {tag: '2026.1'}}}, {}, ['openstack-release']],
    ['a tag below global', {values: {}}, {values: {global: {images: {tags: {api: 'k:2'}}}}}, ['image']],
    ['a repository', {values: {web: {repository: 'a'}}}, {values: {web: {repository: 'b'}}}, ['image']],
    ['a value and a tag', {}, {values: {debug: true, image: {tag: '2'}}}, ['image', 'values']],
    ['how images are pulled', {}, {values: {images: {pull_policy: 'Always'}}}, ['values']],
    ['the endpoint of glance', {}, {values: {endpoints: {image: {path: '/'}}}}, ['values']],
    ['the layer that gives a value', {values: {a: 1}}, {values: {a: 1}, layers: {set: {a: 1}}}, ['values']],
    ['a file of the chart', {chartDigest: 'one'}, {chartDigest: 'other'}, ['chart-content']],
    ['the version of the chart', {version: '0.1.0'}, {version: '0.2.0'}, ['chart-version']],
    [
      'both versions',
      {},
      {version: '0.2.0', appVersion: '2025.2', values: {a: 1}},
      ['chart-version', 'app-version', 'values'],
    ],
    ['nothing', {values: {a: 1, b: null}}, {values: {a: 1, b: null}}, []],
  ])('are reported for %s', (_, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected)
  })

  test('include the files of the chart if kk did not write the last revision', () => {
    expect(changes({}, {}, {revision: 3, written: 2})).toEqual(['chart-content'])
  })

  test('are compared with the failed and with the deployed revision', () => {
    const failed = storedOf({version: '0.2.0'}, {revision: 3, status: 'failed'})
    const deployed = storedOf({version: '0.1.0'}, {revision: 2})

    expect(changesOf(sideOf({version: '0.2.0'}), [failed])).toEqual([])
    expect(changesOf(sideOf({version: '0.2.0'}), [failed, deployed])).toEqual(['chart-version'])
  })
})
