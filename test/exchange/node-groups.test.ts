import {describe, expect, it} from 'vitest'
import {withNodeGroups} from '../../src/exchange/node-groups.ts'

const PINNED = {nova: {DEFAULT: {vcpu_pin_set: '2-15'}}}
const byLabel = (key: string, values: readonly string[], conf: object = PINNED) => ({
  label: {key, values},
  conf,
})

describe("openstack-helm's overrides of DaemonSets", () => {
  it('become groups of nodes, by labels and by hosts', () => {
    const overrides = {
      nova_compute: {
        labels: [byLabel('compute-type', ['dpdk', 'sriov'])],
        hosts: [
          {name: 'cmp1.example.org', conf: {nova: {vnc: {enabled: false}}}},
          {name: ['a', 'b'], conf: PINNED},
        ],
      },
    }

    const {values, lost} = withNodeGroups('nova', {
      conf: {nova: {DEFAULT: {debug: true}}, overrides},
      pod: {},
    })

    expect(values).toEqual({
      conf: {nova: {DEFAULT: {debug: true}}},
      pod: {},
      node_groups: {
        'compute-type-dpdk-sriov': {selector: {'compute-type': ['dpdk', 'sriov']}, conf: PINNED},
        'cmp1-example-org': {hosts: ['cmp1.example.org'], conf: {nova: {vnc: {enabled: false}}}},
        'a-b': {hosts: ['a', 'b'], conf: PINNED},
      },
    })
    expect(lost).toEqual([])
  })

  it('become one group if several DaemonSets of the chart have the same nodes', () => {
    const overrides = {
      'neutron_ovs-agent': {labels: [byLabel('example.org/dpdk', ['enabled'], {agent: {a: 1}})]},
      'neutron_sriov-agent': {labels: [byLabel('example.org/dpdk', ['enabled'], {agent: {b: 2}})]},
    }

    expect(withNodeGroups('neutron', {conf: {overrides}}).values).toEqual({
      node_groups: {dpdk: {selector: {'example.org/dpdk': 'enabled'}, conf: {agent: {a: 1, b: 2}}}},
    })
  })

  it('keep groups of the same name apart', () => {
    const labels = [byLabel('one/dpdk', ['enabled']), byLabel('two/dpdk', ['enabled'])]

    const {node_groups: groups} = withNodeGroups('nova', {conf: {overrides: {nova_compute: {labels}}}}).values

    expect(groups).toMatchObject({
      dpdk: {selector: {'one/dpdk': 'enabled'}},
      'dpdk-2': {selector: {'two/dpdk': 'enabled'}},
    })
  })

  it('lose the order of several labels, in which the last counts', () => {
    const labels = [byLabel('size', ['big']), byLabel('gpu', ['true'])]

    expect(withNodeGroups('nova', {conf: {overrides: {nova_compute: {labels}}}}).lost).toEqual([
      'the order of the groups of nova: for a node with several of the labels, the first by name counts, and not the last in the list: gpu, size-big',
    ])
  })

  it('are also read from the root of the values, with pods and images', () => {
    const values = {conf: PINNED, pod: {tolerations: {}}, manifests: {job: false}}
    const overrides = {nova_compute: {labels: {'compute-type::dpdk': {values}}}}

    expect(withNodeGroups('nova', {overrides}).values).toEqual({
      node_groups: {
        'compute-type-dpdk': {selector: {'compute-type': 'dpdk'}, conf: PINNED, pod: {tolerations: {}}},
      },
    })
  })

  it('are not needed: other values are unchanged', () => {
    const values = {conf: {nova: {}}, overrides: 'text'}

    expect(withNodeGroups('nova', values).values).toBe(values)
  })
})
