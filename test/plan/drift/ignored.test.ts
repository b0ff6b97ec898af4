import {expect, it} from 'vitest'
import type {DryApply} from '../../../src/kubernetes/dry-run/dry-runs.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {type IgnoreRule, ignoredFields, withIgnoredAsLive} from '../../../src/plan/drift/ignored.ts'

const API = {kind: 'Deployment', name: 'nova-api', namespace: 'openstack'}

it.each<[string, IgnoreRule, string, boolean]>([
  ['the field itself', {paths: ['/spec/replicas']}, 'spec.replicas', true],
  ['what is below it', {paths: ['/spec/template']}, 'spec.template.spec.containers[main].image', true],
  ['an item of a list', {paths: ['/spec/containers/[main]']}, 'spec.containers[main].image', true],
  ['no other item', {paths: ['/spec/containers/[main]']}, 'spec.containers[other].image', false],
  ['no name that only begins so', {paths: ['/spec/replica']}, 'spec.replicas', false],
  ['no field that contains it', {paths: ['/spec/template/spec']}, 'spec.template', false],
  ['a key with a slash', {paths: ['/metadata/annotations/a.b~1c']}, 'metadata.annotations["a.b/c"]', true],
  ['a kind', {paths: ['/spec'], target: {kind: 'Deployment'}}, 'spec.replicas', true],
  ['no other kind', {paths: ['/spec'], target: {kind: 'StatefulSet'}}, 'spec.replicas', false],
  ['names by a pattern', {paths: ['/spec'], target: {name: 'nova-*', namespace: 'open*'}}, 'spec.a', true],
  ['only what fits in all', {paths: ['/spec'], target: {name: 'nova-*', namespace: 'x'}}, 'spec.a', false],
])('a rule ignores %s', (_, rule, path, expected) => {
  expect(ignoredFields([rule], API)(path)).toBe(expected)
})

/** A Deployment with these replicas and containers. */
function deployment(replicas: number | undefined, containers: readonly object[]): KubernetesObject {
  const spec = {...(replicas !== undefined && {replicas}), template: {spec: {containers}}}
  return {apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'nova-api'}, spec}
}

/** A dry run of `object`, which the API server completes with a protocol. */
function dryRun(object: KubernetesObject, live: KubernetesObject, applied = object) {
  return {object, live, applied, state: 'compared', conflicts: []} as const satisfies DryApply
}

const isIgnored = (...paths: readonly string[]) => ignoredFields([{paths}], API)

it('ignored fields are written as on the cluster, and all others as in the manifest', () => {
  const manifest = deployment(1, [
    {name: 'main', image: 'a:1', args: ['x']},
    {name: 'log', image: 'b:1'},
  ])
  const live = deployment(5, [
    {name: 'log', image: 'b:2'},
    {name: 'main', image: 'a:2', args: ['x']},
  ])

  const written = withIgnoredAsLive(
    dryRun(manifest, live),
    isIgnored('/spec/replicas', '/spec/template/spec/containers/[main]'),
  )

  expect(written).toEqual(
    deployment(5, [
      {name: 'main', image: 'a:2', args: ['x']},
      {name: 'log', image: 'b:1'},
    ]),
  )
})

it('an ignored field that the cluster does not have is not written', () => {
  const dry = dryRun(deployment(1, []), deployment(undefined, []))

  expect(withIgnoredAsLive(dry, isIgnored('/spec/replicas'))).toEqual(deployment(undefined, []))
})

it('a list item matches although the manifest omits a default that the API server adds to its key', () => {
  const ports = (hostPort: number, more = {}) => [
    {name: 'a', ports: [{containerPort: 80, hostPort, ...more}]},
  ]
  const tcp = {protocol: 'TCP'}
  const dry = dryRun(deployment(1, ports(1)), deployment(1, ports(2, tcp)), deployment(1, ports(1, tcp)))

  const written = withIgnoredAsLive(
    dry,
    isIgnored('/spec/template/spec/containers/[a]/ports/[80~1TCP]/hostPort'),
  )

  expect(written).toEqual(deployment(1, ports(2)))
})
