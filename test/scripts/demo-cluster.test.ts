import {describe, expect, it} from 'vitest'
import {type ClusterUse, clusterEnvironment, obstacles} from '../../scripts/demo/cluster.ts'
import {readYaml} from '../../src/yaml/yaml.ts'

const NEW: ClusterUse = {
  namespaces: [{name: 'default'}, {name: 'kube-system'}, {name: 'local-path-storage'}],
  pods: [],
  nodes: [{name: 'kind-control-plane', labels: {'openstack-control-plane': 'enabled'}}],
}

describe('the demo uses a cluster that the user names', () => {
  it('if it is new, or has only an earlier demo', () => {
    const again = [...NEW.namespaces, {name: 'kk-demo'}, {name: 'kk-system'}]

    expect(obstacles(NEW)).toEqual([])
    expect(obstacles({...NEW, namespaces: again})).toEqual([])
  })

  it.each([
    ['another namespace', {namespaces: [...NEW.namespaces, {name: 'openstack'}]}, 'namespaces openstack'],
    ['a pod in default', {pods: [{name: 'web-0'}]}, 'pods web-0'],
    ['no node that charts select', {nodes: [{name: 'node1', labels: {}}]}, 'no node has the label'],
  ])('unless it has %s', (_, use, message) => {
    expect(obstacles({...NEW, ...use})).toEqual([expect.stringContaining(message)])
  })
})

describe("the demo's environment for a cluster", () => {
  const read = (registry?: string) =>
    readYaml(clusterEnvironment('all-in-one.yaml', {context: 'kind-kind'}, registry))

  it('is bound to the context, and has a namespace that no production cloud has', () => {
    const kk = {name: 'demo', namespace: 'kk-demo', context: 'kind-kind', include: ['all-in-one.yaml']}

    expect(read()).toEqual({kk, global: {}})
  })

  it("has the images of a registry, or kolla's", () => {
    expect(read('registry.example.org/kk')).toMatchObject({
      global: {images: {registry: 'registry.example.org/kk'}},
    })
    expect(read('upstream')).toMatchObject({kk: {features: ['kolla']}, global: {}})
  })
})
