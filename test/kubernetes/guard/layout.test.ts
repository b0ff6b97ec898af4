import {expect, it} from 'vitest'
import {policyObjects, unboundObjects} from '../../../src/kubernetes/guard/layout.ts'

interface Binding {
  readonly matchResources?: {
    readonly namespaceSelector: {
      readonly matchExpressions: readonly {readonly operator: string; readonly values?: readonly string[]}[]
    }
  }
}

function selectors(objects: ReturnType<typeof policyObjects>) {
  return objects
    .map(([, {spec}]) => (spec as Binding).matchResources?.namespaceSelector.matchExpressions)
    .filter((found) => found !== undefined)
}

it('the policies are bound to the namespaces of protected releases, and to that of kk', () => {
  const objects = policyObjects({releases: ['openstack/mariadb', 'openstack/rabbitmq', 'infra/etcd']})

  for (const [expression] of selectors(objects))
    expect(expression).toMatchObject({operator: 'In', values: ['infra', 'kk-system', 'openstack']})
})

it('a removed guard is bound to no namespace', () => {
  const found = selectors(unboundObjects())

  expect(found.map((selector) => selector.map(({operator}) => operator))).toEqual([
    ['Exists', 'DoesNotExist'],
    ['Exists', 'DoesNotExist'],
  ])
})
