import {readFileSync} from 'node:fs'
import {loadAll} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {EQUIVALENT_VERBS} from '../../../src/kubernetes/permissions/need.ts'
import {NEEDS} from '../../../src/kubernetes/permissions/needs.ts'
import {ROLE_SETS, type Rule, rulesOf} from '../../../src/kubernetes/permissions/roles.ts'
import {table} from '../../../src/table.js'

/** One line per right. */
function rights(rules: readonly Pick<Rule, 'apiGroups' | 'resources' | 'verbs'>[]): readonly string[] {
  const each = rules.flatMap(({apiGroups, resources, verbs}) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource} ${apiGroups[0]}`)),
  )
  return [...new Set(each)].sort()
}

/** Commands without requests to the cluster: its context only selects the override store. */
const STORE_ONLY = /^(?:overrides|helm-overrides?|plugins|serve|values)\b/

it('the table of permissions covers every command that reads a cluster', () => {
  const known = [...Object.keys(NEEDS), ...Object.values(EQUIVALENT_VERBS).flat()]
  const asking = Object.entries(table.commands).filter(
    ([name, {flags}]) => 'kubeconfig' in flags && !name.startsWith('sandbox') && !STORE_ONLY.test(name),
  )

  const unknown = asking.map(([name]) => name.replaceAll(':', ' ')).filter((name) => !known.includes(name))
  expect(unknown).toEqual([])
})

it('the rows of the table have groups, subresources and object names in the syntax of kubectl', () => {
  const drives = NEEDS['operator run'].map(({group, resource, names}) => [group, resource, names])

  expect(drives).toContainEqual(['kk.openstack.org', 'environments/status', undefined])
  expect(drives).toContainEqual([
    ...['apiextensions.k8s.io', 'customresourcedefinitions'],
    ['environments.kk.openstack.org'],
  ])
  expect(NEEDS.facts.at(-1)).toEqual({
    ...{group: '', resource: 'configmaps', verbs: ['get'], where: 'cluster'},
    names: ['kubelet-config', 'coredns'],
    why: 'to know the domain of cluster services, in kube-system',
    without: 'the fact dnsDomain is unknown',
  })
})

it('every verb with synonyms, and every verb of a role, has rows', () => {
  const verbs = [...Object.keys(EQUIVALENT_VERBS), ...Object.values(ROLE_SETS).flatMap((set) => set.verbs)]
  expect(verbs.filter((verb) => !(verb in NEEDS))).toEqual([])
})

describe('the roles of docs/guard.md match the table', () => {
  const page = readFileSync('docs/guard.md', 'utf8')
  const roles = loadAll(/```yaml\n(apiVersion: rbac[\s\S]+?)```/.exec(page)![1]!) as {
    metadata: {name: string}
    rules: Rule[]
  }[]

  it.each(['install', 'approve'] as const)('%s', (verb) => {
    const role = roles.find(({metadata}) => metadata.name === `kk-guard-${verb}`)!

    expect(rights(rulesOf({verbs: [`guard ${verb}`]}).cluster)).toEqual(rights(role.rules))
  })
})

describe('the rules of several verbs', () => {
  const {cluster, 'kk-system': own} = rulesOf({verbs: ['plan', 'unlock', 'remove']})

  it('contain a right once, as required if any verb requires it', () => {
    const secrets = cluster.filter(({resources}) => resources.includes('secrets'))

    expect(secrets.map(({verbs, without}) => ({verbs, without}))).toEqual([
      {verbs: ['list'], without: []},
      {verbs: ['get'], without: ['a release that cannot be read counts as a dependent']},
    ])
  })

  it('keep object names and namespaces separate', () => {
    expect(cluster[0]).toMatchObject({resources: ['namespaces'], resourceNames: ['kube-system']})
    expect(own.flatMap(({resources}) => resources)).toEqual(['leases', 'configmaps', 'secrets', 'leases'])
  })
})
