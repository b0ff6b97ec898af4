import {expect, it} from 'vitest'
import {missingKinds} from '../../../../src/doctor/charts/checks/missing-kinds.ts'
import type {KubernetesObject} from '../../../../src/kubernetes/manifest/kubernetes-object.ts'

/** `hook` is a hook and its weight: `pre-install 5`. */
function made(object: object, name: string, hook?: string): KubernetesObject {
  const [stage, weight = '0'] = hook?.split(' ') ?? []
  const annotations = {'helm.sh/hook': stage, 'helm.sh/hook-weight': weight}
  return {
    ...object,
    metadata: {name, ...(hook !== undefined && {annotations})},
  } as unknown as KubernetesObject
}

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  spec: {group: 'a.org', names: {kind: 'Thing'}, versions: [{name: 'v1'}]},
}

interface Case {
  readonly definition?: string
  readonly resource?: string
  readonly folder?: string
  readonly served?: readonly string[]
}

/** What is said of a Thing and its definition, as hooks or none. */
function saidOf({definition, resource, folder = 'templates', served = []}: Case) {
  const atFirst = [
    {object: made(DEFINITION, 'things.a.org', definition), file: `x/${folder}/things.yaml`},
    {object: made({apiVersion: 'a.org/v1', kind: 'Thing'}, 'x', resource), file: 'x/templates/thing.yaml'},
  ]
  return missingKinds({release: 'openstack/x', atFirst}, served)
}

it.each([
  {},
  {definition: 'pre-install'},
  {resource: 'pre-install'},
  {definition: 'pre-install 5', resource: 'pre-install 1'},
  {served: ['a.org/v1', 'a.org/v1/Other']},
])('a custom resource whose kind is defined too late for helm is reported: %j', (each: Case) => {
  expect(saidOf(each)).toMatchObject([
    {
      level: 'problem',
      object: 'Thing/x',
      file: 'x/templates/thing.yaml',
      what: expect.stringContaining('CustomResourceDefinition/things.a.org (x/templates/things.yaml)'),
      advice: expect.stringContaining('crds/'),
    },
  ])
})

it.each([
  {folder: 'crds'},
  {folder: 'charts/y/crds'},
  {resource: 'post-install'},
  {definition: 'pre-install 1', resource: 'pre-install 5'},
  {served: ['a.org/v1', 'a.org/v1/Thing']},
])('a custom resource whose kind is defined or served before is not reported: %j', (each: Case) => {
  expect(saidOf(each)).toEqual([])
})
