import {describe, expect, it} from 'vitest'
import {recreatedHooks, replacedByHooks} from '../../../src/plan/leftovers/replaced-by-hooks.ts'

const WAY = {namespace: 'openstack', verb: 'upgrade'} as const
const KEEP = {'helm.sh/resource-policy': 'keep'}

function object(kind: string, annotations: Readonly<Record<string, string>> = {}) {
  return {apiVersion: 'v1', kind, metadata: {name: 'a', annotations}}
}

function hook(kind: string, events: string, policies?: string) {
  return object(kind, {
    'helm.sh/hook': events,
    ...(policies !== undefined && {'helm.sh/hook-delete-policy': policies}),
  })
}

/** The state that Helm 3 and 4 leave of a normal ConfigMap that becomes a hook, as tried on a cluster. */
describe('an object that becomes a hook', () => {
  it.each([
    ['pre-upgrade', undefined, false],
    ['pre-upgrade', 'hook-succeeded', false],
    ['pre-upgrade', 'before-hook-creation,hook-succeeded', false],
    ['post-upgrade', undefined, true],
    ['post-upgrade', 'hook-failed', true],
    ['post-upgrade', 'hook-succeeded', false],
    ['pre-upgrade,post-upgrade', undefined, true],
    ['pre-install', undefined, false],
    ['post-rollback', undefined, false],
  ])('of %s with the policy %s exists afterwards: %s', (events, policy, isMade) => {
    const after = hook('ConfigMap', events, policy)

    expect(replacedByHooks([object('ConfigMap')], [after], WAY)).toEqual([{object: after, isMade}])
  })

  it.each([
    ['PersistentVolumeClaim', {}, 'pre-install', undefined],
    ['ConfigMap', KEEP, 'pre-install', undefined],
    ['ConfigMap', KEEP, 'pre-upgrade', 'hook-failed'],
  ])('stays as %s with %o and the event %s', (kind, annotations, events, policy) => {
    expect(replacedByHooks([object(kind, annotations)], [hook(kind, events, policy)], WAY)).toEqual([])
  })

  it('is deleted despite its resource policy if its hook deletes it', () => {
    const found = ['ConfigMap', 'PersistentVolumeClaim'].flatMap((kind) =>
      replacedByHooks([object(kind, KEEP)], [hook(kind, 'pre-upgrade')], WAY),
    )

    expect(found.map(({object: {kind}, isMade}) => [kind, isMade])).toEqual([
      ['ConfigMap', false],
      ['PersistentVolumeClaim', false],
    ])
  })

  it('is a different object in another API group, and the same in another version of its group', () => {
    const before = {...object('Ingress'), apiVersion: 'extensions/v1beta1'}
    const after = {...hook('Ingress', 'pre-upgrade'), apiVersion: 'extensions/v1'}

    expect(replacedByHooks([before], [after], WAY)).toHaveLength(1)
    expect(replacedByHooks([before], [{...after, apiVersion: 'networking.k8s.io/v1'}], WAY)).toEqual([])
  })
})

it('an object that stays normal, is new, or is no longer in the chart does not become a hook', () => {
  const plain = object('ConfigMap')

  expect(replacedByHooks([plain], [plain], WAY)).toEqual([])
  expect(replacedByHooks([], [hook('ConfigMap', 'pre-upgrade')], WAY)).toEqual([])
  expect(replacedByHooks([plain], [], WAY)).toEqual([])
})

it('hooks that must exist after an upgrade are those with data that helm deletes first, each once', () => {
  const claim = (name: string, events: string, policies?: string) => {
    const {metadata, ...rest} = hook('PersistentVolumeClaim', events, policies)
    return {...rest, metadata: {...metadata, name}}
  }
  const kept = claim('kept', 'pre-upgrade')
  const others = [claim('first', 'pre-install'), claim('removed', 'pre-upgrade', 'hook-succeeded')]

  const found = recreatedHooks(
    [{object: kept, isMade: false}],
    [kept, ...others, hook('Job', 'pre-upgrade')],
    'upgrade',
  )

  expect(found).toEqual([kept])
})
