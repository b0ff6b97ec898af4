import {expect, it} from 'vitest'
import {readEnvironment} from '../../../../src/environment/read.ts'
import type {WantKind} from '../../../../src/graph/inference/facts.ts'
import type {AmbiguousWant} from '../../../../src/graph/inference/infer.ts'
import {wordDigest} from '../../../../src/graph/inference/word-digest.ts'
import type {ReleaseId} from '../../../../src/release.ts'
import {ambiguousError} from '../../../../src/verbs/preparation/inference/ambiguity.ts'
import {object, want} from '../../../graph/inference/known.ts'

function ambiguous(release: string, kind: WantKind, names: readonly string[]): AmbiguousWant {
  const target = object('Secret/tls')
  const candidates = names.map((name) => ({
    release: `openstack/${name}` as ReleaseId,
    object: 'Secret/tls',
    name: 'tls',
  }))
  return {release: `openstack/${release}` as ReleaseId, want: want(target, kind), candidates}
}

function hintFor(wants: readonly AmbiguousWant[], releases: object = {}): string | undefined {
  const text = JSON.stringify({kk: {releases}, api: {}})
  const environment = readEnvironment({file: 'cloud.yaml', directory: '/', text})
  return ambiguousError(wants, {environment, requirements: []}).hint
}

it('tells the Service by which a host was found, for the host itself is not kept', () => {
  const target = {what: 'host', digest: wordDigest('db')} as const
  const candidates = ['a', 'b'].map((name) => ({
    release: `openstack/${name}` as ReleaseId,
    object: 'Service/db',
    name: 'db',
  }))
  const environment = readEnvironment({file: 'cloud.yaml', directory: '/', text: '{api: {}}'})

  const {message} = ambiguousError([{release: 'openstack/api', want: want(target), candidates}], {
    environment,
    requirements: [],
  })

  expect(message).toContain('  api: Deployment/api waits: Service/db (x/templates/api.yaml): a, b have it')
})

it('is settled by a line of the kind that is wanted, for a stated "ready" may close a cycle', () => {
  expect(hintFor([ambiguous('api', 'applied', ['a', 'b'])])).toBe(
    'say which, for example kk.releases.api: {requires: [a:applied]}',
  )
  expect(hintFor([ambiguous('api', 'applied', ['a', 'b']), ambiguous('api', 'ready', ['a', 'b'])])).toBe(
    'say which, for example kk.releases.api: {requires: [a]}',
  )
})

it('is settled by a line that keeps what is stated already', () => {
  const releases = {api: {requires: ['infra/db', 'cache:applied']}}

  expect(hintFor([ambiguous('api', 'ready', ['a', 'b'])], releases)).toBe(
    'say which, for example kk.releases.api: {requires: [infra/db, cache:applied, a]}',
  )
})

it('is settled by one line for each release', () => {
  const wants = [
    ambiguous('api', 'ready', ['a', 'b']),
    ambiguous('api', 'ready', ['c', 'd']),
    ambiguous('web', 'ready', ['a', 'b']),
  ]

  expect(hintFor(wants)).toBe(
    'say which, for example kk.releases.api: {requires: [a, c]}, and kk.releases.web: {requires: [a]}',
  )
})
