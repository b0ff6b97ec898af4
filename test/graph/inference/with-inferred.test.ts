import {expect, it} from 'vitest'
import type {Requirement} from '../../../src/graph/build.ts'
import {withInferred} from '../../../src/graph/inference/infer.ts'
import type {EdgeKind} from '../../../src/release.ts'
import {id} from '../graph-of.ts'

const EVIDENCE = {source: 'inferred', file: 'x', text: 'waits'} as const

function requirement(kind: EdgeKind): Requirement {
  return {release: id('db'), kind, evidence: {source: 'environment', file: 'kk.yaml', text: 'requires'}}
}

function kindsOf(stated: readonly Requirement[], kind: EdgeKind | 'soft'): readonly string[] {
  const inferred = {from: id('api'), to: id('db'), kind, evidence: EVIDENCE}
  const found = withInferred(new Map([[id('api'), stated]]), [inferred, inferred])
  return found.get(id('api'))!.map((each) => `${each.evidence.source} ${each.kind}`)
}

it.each([
  ['adds an inferred requirement once', [], 'ready', ['inferred ready']],
  [
    'keeps the kind that is stated',
    [requirement('applied')],
    'ready',
    ['environment applied', 'inferred applied'],
  ],
  ['keeps a stronger one, too', [requirement('ready')], 'applied', ['environment ready', 'inferred ready']],
  ['leaves out what only orders', [], 'soft', []],
] as const)('%s', (_, stated, kind, expected) => {
  expect(kindsOf(stated, kind)).toEqual(expected)
})
