import {expect, it} from 'vitest'
import {wordDigest} from '../../../../src/graph/inference/facts.ts'
import {manifestFacts} from '../../../../src/prepare/inference/manifests/facts-of.ts'
import {env, workload} from './manifests.ts'

function provided(...objects: readonly (object | string)[]) {
  const documents = objects.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))
  return manifestFacts(documents.join('\n---\n'), 'openstack').provided
}

it('provided objects contain Services with ports and the file of the chart', () => {
  const service = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {name: 'mariadb', namespace: 'openstack'},
    spec: {ports: [{port: 3306}]},
  })

  expect(provided(`\n---\n# Source: mariadb/templates/service.yaml\n${service}`).objects).toEqual([
    {kind: 'Service', name: 'mariadb', ports: [3306], file: 'mariadb/templates/service.yaml'},
  ])
})

it('provided objects in another namespace have that namespace', () => {
  const map = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'c', namespace: 'kube-system'}}

  expect(provided(map).objects).toMatchObject([{name: 'c', namespace: 'kube-system'}])
})

it('provided objects contain labels of pods and claims of a StatefulSet', () => {
  const set = JSON.parse(workload({kind: 'StatefulSet'}))
  set.spec.volumeClaimTemplates = [{metadata: {name: 'data'}}]

  const {pods, objects} = provided(set)

  expect(pods).toEqual([{labels: {application: 'api'}}])
  expect(objects.map(({kind, name}) => `${kind}/${name}`)).toEqual([
    'StatefulSet/api',
    'PersistentVolumeClaim/data',
  ])
})

it('provided facts contain defined kinds and resources of fail-closed webhooks', () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {name: 'dbs.a.org'},
    spec: {
      group: 'a.org',
      names: {kind: 'Db', plural: 'dbs'},
      versions: [{name: 'v1'}, {name: 'v2'}, {name: 'v0', served: false}],
    },
  }
  const webhook = (failurePolicy: string, resources: readonly string[]) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: {name: failurePolicy.toLowerCase()},
    webhooks: [{name: 'x', failurePolicy, rules: [{apiGroups: ['a.org'], resources}]}],
  })

  const {kinds, guarded} = provided(definition, webhook('Fail', ['dbs']), webhook('Ignore', ['others']))

  expect(kinds).toEqual([{group: 'a.org', kind: 'Db', plural: 'dbs', versions: ['v1', 'v2']}])
  expect(guarded).toEqual([{group: 'a.org', resource: 'dbs'}])
})

it('provided facts contain digests of names that Jobs get for Secrets', () => {
  const byVariable = workload({kind: 'Job', container: env({KUBE_SECRET_NAME: 'tls', OTHER: 'x'})})
  const byFlag = workload({kind: 'Job', container: {args: ['create', '--secret-name=certs', '--host=x']}})
  const noJob = workload({container: env({KUBE_SECRET_NAME: 'other'})})

  expect(provided(byVariable, byFlag, noJob).madeByJobs).toEqual(['tls', 'certs'].map(wordDigest))
})

it('provided objects exclude those of tests', () => {
  const test = workload({kind: 'Pod', annotations: {'helm.sh/hook': 'test'}})

  expect(provided(test)).toEqual({objects: [], pods: [], kinds: [], guarded: [], madeByJobs: []})
})
