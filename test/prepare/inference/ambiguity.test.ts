import {expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {Requirement} from '../../../src/graph/build.ts'
import {type WantKind, wordDigest} from '../../../src/graph/inference/facts.ts'
import type {AmbiguousWant} from '../../../src/graph/inference/infer.ts'
import {ambiguousError} from '../../../src/prepare/inference/ambiguity.ts'
import type {EdgeKind, Evidence, ReleaseId} from '../../../src/release.ts'
import {id} from '../../graph/graph-of.ts'
import {object, want} from '../../graph/inference/known.ts'

function ambiguous(release: string, kind: WantKind, names: readonly string[]): AmbiguousWant {
  const target = object('Secret/tls')
  const candidates = names.map((name) => ({
    release: `openstack/${name}` as ReleaseId,
    object: 'Secret/tls',
    name: 'tls',
  }))
  return {release: `openstack/${release}` as ReleaseId, want: want(target, kind), candidates}
}

/** Where the environment states these, and charts are found to require those. */
function hintFor(
  wants: readonly AmbiguousWant[],
  releases: object = {},
  requires: Readonly<Record<string, readonly Requirement[]>> = {},
): string | undefined {
  const text = JSON.stringify({kk: {releases}, api: {}})
  const environment = readEnvironment({file: 'cloud.yaml', directory: '/', text})
  const requirements = new Map(Object.entries(requires).map(([name, all]) => [id(name), all]))
  return ambiguousError(wants, {environment, requirements}).hint
}

function requirement(name: string, source: Evidence['source'], kind: EdgeKind = 'ready'): Requirement {
  return {release: id(name), kind, evidence: {source, file: 'x', text: name}}
}

it('an ambiguous host is reported with the Service that matches it, because the host is not stored', () => {
  const target = {what: 'host', digest: wordDigest('db')} as const
  const candidates = ['a', 'b'].map((name) => ({
    release: `openstack/${name}` as ReleaseId,
    object: 'Service/db',
    name: 'db',
  }))
  const environment = readEnvironment({file: 'cloud.yaml', directory: '/', text: '{api: {}}'})

  const {message} = ambiguousError([{release: 'openstack/api', want: want(target), candidates}], {
    environment,
    requirements: new Map(),
  })

  expect(message).toContain('  api: Deployment/api waits: Service/db (x/templates/api.yaml): a, b have it')
})

it('an ambiguity is resolved by a line with the kind of the wants, because "ready" may close a cycle', () => {
  expect(hintFor([ambiguous('api', 'applied', ['a', 'b'])])).toBe(
    'specify which, for example kk.releases.api: {requires: [a:applied]}',
  )
  expect(hintFor([ambiguous('api', 'applied', ['a', 'b']), ambiguous('api', 'ready', ['a', 'b'])])).toBe(
    'specify which, for example kk.releases.api: {requires: [a]}',
  )
})

it('an ambiguity is resolved by a line that repeats stated requirements', () => {
  const releases = {api: {requires: ['infra/db', 'cache:applied']}}

  expect(hintFor([ambiguous('api', 'ready', ['a', 'b'])], releases)).toBe(
    'specify which, for example kk.releases.api: {requires: [infra/db, cache:applied, a]}',
  )
})

it('an ambiguity is resolved by "applied" if the releases then require each other', () => {
  const wants = [ambiguous('api', 'ready', ['a', 'b']), ambiguous('web', 'ready', ['a', 'b'])]
  const requires = {a: [requirement('db', 'inferred')], db: [requirement('api', 'inferred')]}

  expect(hintFor(wants, {}, requires)).toBe(
    'specify which, for example kk.releases.api: {requires: [a:applied]}, and kk.releases.web: {requires: [a]}',
  )
})

it('an ambiguity is resolved by the next candidate if the first would close a cycle', () => {
  const wants = [ambiguous('api', 'ready', ['a', 'b'])]

  expect(hintFor(wants, {}, {a: [requirement('api', 'annotation')]})).toBe(
    'specify which, for example kk.releases.api: {requires: [b]}',
  )
  expect(hintFor(wants, {}, {a: [requirement('api', 'annotation', 'applied')]})).toBe(
    'specify which, for example kk.releases.api: {requires: [a:applied]}',
  )
})

it('several wants are resolved by one line if one provider has all', () => {
  const wants = [ambiguous('api', 'applied', ['a', 'b']), ambiguous('api', 'ready', ['b', 'a'])]

  expect(hintFor(wants)).toBe('specify which, for example kk.releases.api: {requires: [a]}')
})

it('ambiguities are resolved by one line per release', () => {
  const wants = [
    ambiguous('api', 'ready', ['a', 'b']),
    ambiguous('api', 'ready', ['c', 'd']),
    ambiguous('web', 'ready', ['a', 'b']),
  ]

  expect(hintFor(wants)).toBe(
    'specify which, for example kk.releases.api: {requires: [a, c]}, and kk.releases.web: {requires: [a]}',
  )
})
