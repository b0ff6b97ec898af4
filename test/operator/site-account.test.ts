import {expect, it} from 'vitest'
import {operatorObjects, siteObjects} from '../../src/operator/install/install.ts'

type Rules = readonly {readonly apiGroups: readonly string[]; readonly resources: readonly string[]}[]

const rulesIn = (objects: ReturnType<typeof siteObjects>) => objects.flatMap(({rules = []}) => rules as Rules)

it('the account of an operator elsewhere has no right on kinds that only the hub has', () => {
  const groups = (objects: ReturnType<typeof siteObjects>) =>
    new Set(rulesIn(objects).flatMap(({apiGroups}) => apiGroups))
  const options = {version: '1.0.0', image: 'kk', namespaces: ['openstack']}

  expect(groups(operatorObjects(options))).toContain('kk.openstack.org')
  expect(groups(siteObjects(options))).not.toContain('kk.openstack.org')
  expect(groups(siteObjects(options))).not.toContain('apiextensions.k8s.io')
})

it('an operator of its own may live beside it', () => {
  const options = {version: '1.0.0', image: 'kk', namespaces: ['openstack']}
  const keyed = (objects: ReturnType<typeof siteObjects>) =>
    new Map(objects.map((each) => [`${each.kind}/${each.metadata.namespace}/${each.metadata.name}`, each]))
  const own = keyed(operatorObjects(options))
  const shared = [...keyed(siteObjects(options))].filter(([key]) => own.has(key))

  expect(shared.map(([key]) => key)).toEqual([
    'Namespace/undefined/kk-system',
    'Namespace/undefined/openstack',
  ])
  for (const [key, object] of shared) expect(object).toEqual(own.get(key))
})
