import {expect, it} from 'vitest'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import {laterImages} from '../../src/run/later-images.ts'
import {id} from '../graph/graph-of.ts'
import {planOf} from './plan-of.ts'

type Spec = Readonly<Record<string, unknown>>

function workload(kind: string, image: string, spec: Spec = {}, annotations = {}): KubernetesObject {
  const containers = [{name: 'main', image, imagePullPolicy: 'IfNotPresent'}]
  return {
    apiVersion: 'x',
    kind,
    metadata: {name: 'x', annotations},
    spec: {template: {spec: {containers, ...spec}}},
  }
}

const images = (...[plan, rendered]: Parameters<typeof laterImages>) =>
  laterImages(plan, rendered).map(({images}) => images.map(({image}) => image))

const CLOUD = {mariadb: [], keystone: ['mariadb'], glance: ['keystone']}

it('laterImages returns the images of waiting releases, in start order, each once', () => {
  const rendered = new Map([
    [id('mariadb'), [workload('StatefulSet', 'mariadb:1'), workload('Job', 'toolbox:1')]],
    [id('glance'), [workload('Deployment', 'glance:1'), workload('Job', 'keystone:1')]],
    [id('keystone'), [workload('Deployment', 'keystone:1'), workload('Job', 'toolbox:1')]],
  ])

  expect(images(planOf(CLOUD), rendered)).toEqual([['keystone:1', 'glance:1']])
})

it('laterImages returns nothing if no release waits: requirements are deployed, or need not be healthy', () => {
  const rendered = new Map([[id('keystone'), [workload('Deployment', 'keystone:1')]]])

  expect(images(planOf({mariadb: [], keystone: ['mariadb']}, {mariadb: 'unchanged'}), rendered)).toEqual([])
  expect(images(planOf({mariadb: [], keystone: ['mariadb:applied']}), rendered)).toEqual([])
})

it('laterImages includes init containers, but not hooks, CronJobs and images that are never pulled', () => {
  const keystone = [
    workload('Deployment', 'keystone:1', {initContainers: [{name: 'init', image: 'wait:1'}]}),
    workload('Job', 'hook:1', {}, {'helm.sh/hook': 'post-install'}),
    {...workload('CronJob', 'cron:1'), spec: {jobTemplate: {spec: workload('Job', 'cron:1').spec}}},
    workload('Deployment', 'keystone:1', {
      containers: [{name: 'a', image: 'never:1', imagePullPolicy: 'Never'}],
    }),
  ]

  expect(images(planOf(CLOUD), new Map([[id('keystone'), keystone]]))).toEqual([['wait:1', 'keystone:1']])
})

it('laterImages keeps the placement of pods and their credentials', () => {
  const placement = {
    nodeSelector: {disk: 'fast'},
    tolerations: [{operator: 'Exists'}],
    imagePullSecrets: [{name: 'registry'}],
  }
  const rendered = new Map([
    [id('keystone'), [workload('Deployment', 'keystone:1', {...placement, hostNetwork: true})]],
    [id('glance'), [workload('Deployment', 'glance:1')]],
  ])

  expect(laterImages(planOf(CLOUD), rendered)).toEqual([
    {namespace: 'openstack', placement, images: [{image: 'keystone:1', policy: 'IfNotPresent'}]},
    {namespace: 'openstack', placement: {}, images: [{image: 'glance:1', policy: 'IfNotPresent'}]},
  ])
})
