import {expect, test} from 'vitest'
import {unsupported} from '../../../src/plan/versions/unsupported.ts'

function versioned(appVersion: string, tags: Readonly<Record<string, string>>) {
  const containers = Object.entries(tags).map(([name, tag]) => ({name, image: `kolla/${name}:${tag}`}))
  const object = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'keystone'}, spec: {containers}}
  return {appVersion, objects: [object]}
}

test('checks the appVersion and every container, and reports each finding once', () => {
  const before = versioned('2025.2', {api: '2025.1-debian', worker: '2025.1-debian', cache: '1.6.39'})
  const after = versioned('2025.1', {api: '2026.2-debian', worker: '2026.2-debian', cache: '1.5.0'})

  expect(unsupported(before, after)).toEqual([
    'appVersion 2025.2 → 2025.1 is a downgrade: restore a backup instead, or stay',
    'image 2025.1 → 2026.2 skips releases: go through 2026.1',
  ])
})

test.each([
  ['nothing is known of one side', {api: 'master'}, {api: '2024.1'}],
  ['the container is new', {api: '2025.1'}, {api: '2025.1', other: '2024.1'}],
  ['the way is supported', {api: '2025.1'}, {api: '2026.1'}],
])('reports nothing if %s', (_, before, after) => {
  expect(unsupported(versioned('v1.0.0', before), versioned('v1.0.0', after))).toEqual([])
})
