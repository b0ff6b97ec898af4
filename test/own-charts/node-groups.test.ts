import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {HELMS} from '../support/helms.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {find, type KubernetesObject, ofKind, type PodSpec} from './support/objects.ts'

const charts = await useCharts()

const LABEL = 'openstack-node-group'
const CPUS = {compute: {cpu_dedicated_set: '2-15'}}
const PINNED = {selector: {[LABEL]: 'pinned'}}

/** A chart with groups of nodes, below `global` and in its section. */
function withGroups(chart: string, groups: Values, own: Values = {}, values: Values = {}) {
  return charts.render(chart, {
    global: mergeValues(GIVEN, {node_groups: groups}),
    values: {...values, node_groups: own},
  })
}

interface Rendered {
  readonly spec: {
    readonly selector: {readonly matchLabels: Readonly<Record<string, string>>}
    readonly template: {
      readonly metadata: {
        readonly labels: Readonly<Record<string, string>>
        readonly annotations: Readonly<Record<string, string>>
      }
      readonly spec: PodSpec & {readonly affinity?: Affinity}
    }
  }
}
interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution: {
      readonly nodeSelectorTerms: readonly {readonly matchExpressions: readonly Expression[]}[]
    }
  }
  readonly podAntiAffinity?: unknown
}
interface Expression {
  readonly key: string
  readonly operator: string
  readonly values: readonly string[]
}

function daemonSet(objects: readonly KubernetesObject[], name: string) {
  const found = ofKind(objects, 'DaemonSet').find(({metadata}) => metadata.name === name)
  return (found as unknown as Rendered).spec
}

function sets(objects: readonly KubernetesObject[]): readonly string[] {
  return ofKind(objects, 'DaemonSet').map(({metadata}) => metadata.name)
}

/**
 * The labels by which the pods of a DaemonSet get their nodes, as `kubectl get nodes --selector` has them.
 */
function nodesOf(objects: readonly KubernetesObject[], name: string): readonly string[] {
  const {affinity} = daemonSet(objects, name).template.spec
  const {nodeSelectorTerms = []} =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {}
  return nodeSelectorTerms.map(({matchExpressions}) =>
    matchExpressions
      .map(({key, operator, values}) => `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join()})`)
      .join(', '),
  )
}

/** The contents of the files of a DaemonSet's pods, by their names there. */
function filesOf(objects: readonly KubernetesObject[], name: string): Readonly<Record<string, string>> {
  const {volumes = []} = daemonSet(objects, name).template.spec
  const sources = volumes.find((volume) => volume.name === 'config')!.projected!.sources
  return Object.fromEntries(
    sources.flatMap(({configMap, secret}) => {
      const {name, items} = (configMap ?? secret)!
      const data = find(objects, configMap ? 'ConfigMap' : 'Secret', name).data!
      return items.map(({key, path}) => [path, data[key]!])
    }),
  )
}

describe('a group of nodes with its own configuration', async () => {
  const objects = await withGroups('nova', {pinned: PINNED}, {pinned: {conf: {nova: CPUS}}})
  const plain = await charts.render('nova')

  it('has a DaemonSet on its nodes, and the one of the component has the others', () => {
    expect(sets(objects)).toEqual(['nova-compute', 'nova-compute-pinned'])
    expect(nodesOf(objects, 'nova-compute-pinned')).toEqual([`${LABEL} in (pinned)`])
    expect(nodesOf(objects, 'nova-compute')).toEqual([`${LABEL} notin (pinned)`])
  })

  it('has the merged configuration, and others have theirs', () => {
    const {'nova.conf': pinned, 'config.json': started} = filesOf(objects, 'nova-compute-pinned')

    expect(pinned).toContain('cpu_dedicated_set = 2-15\n')
    expect(pinned?.replace('cpu_dedicated_set = 2-15\n', '').replace('\n[compute]\n', '')).toBe(
      filesOf(plain, 'nova-compute')['nova.conf'],
    )
    expect(started).toBe(filesOf(plain, 'nova-compute')['config.json'])
    expect(filesOf(objects, 'nova-compute')).toEqual(filesOf(plain, 'nova-compute'))
  })

  it('is of the same component, with a label of the group that the selector of the others ignores', () => {
    const {selector, template} = daemonSet(objects, 'nova-compute-pinned')
    const component = daemonSet(plain, 'nova-compute').selector.matchLabels

    expect(selector.matchLabels).toEqual({...component, 'kk.openstack.org/node-group': 'pinned'})
    expect(template.metadata.labels).toMatchObject(selector.matchLabels)
    expect(daemonSet(objects, 'nova-compute').selector).toEqual({matchLabels: component})
  })

  it('starts no pod on a node while another of the component is left there', () => {
    expect(daemonSet(objects, 'nova-compute-pinned').template.spec.affinity?.podAntiAffinity).toEqual({
      requiredDuringSchedulingIgnoredDuringExecution: [
        {
          topologyKey: 'kubernetes.io/hostname',
          labelSelector: {matchLabels: daemonSet(plain, 'nova-compute').selector.matchLabels},
        },
      ],
    })
  })

  it('changes the pods of the others in nothing but their nodes', () => {
    const {affinity, ...others} = daemonSet(objects, 'nova-compute').template.spec
    const before = daemonSet(plain, 'nova-compute').template

    expect(others).toEqual(before.spec)
    expect(daemonSet(objects, 'nova-compute').template.metadata).toEqual(before.metadata)
    expect(affinity).toBeDefined()
  })

  it('is awaited before hosts are discovered', () => {
    const {initContainers = []} = find(objects, 'Job', 'nova-discover-hosts').spec!.template!.spec
    const rollout = initContainers.find(({name}) => name === 'rollout')
    const {rules = []} = find(objects, 'Role', 'nova-discover-hosts')

    expect(rollout?.command?.slice(2)).toEqual(['daemonsets/nova-compute', 'daemonsets/nova-compute-pinned'])
    expect(rules[1]?.resourceNames).toEqual(['nova-compute', 'nova-compute-pinned'])
  })
})

describe('the DaemonSets of a group', () => {
  it('are only those of which the pods differ', async () => {
    const conf = {ovn_metadata_agent: {DEFAULT: {metadata_workers: 4}}}
    const none = await withGroups('libvirt', {pinned: PINNED}, {pinned: {conf: {qemu: {group: 'nova'}}}})

    expect(sets(none)).toEqual(['libvirt-libvirt'])
    expect(nodesOf(none, 'libvirt-libvirt')).toEqual([])
    expect(sets(await withGroups('openvswitch', {pinned: PINNED}))).toEqual([
      'openvswitch-db',
      'openvswitch-vswitchd',
    ])
    expect(
      sets(await withGroups('openvswitch', {}, {pinned: {...PINNED, conf: {switch: {datapath: 'netdev'}}}})),
    ).toEqual(['openvswitch-db', 'openvswitch-vswitchd', 'openvswitch-vswitchd-pinned'])
    expect(sets(await withGroups('neutron', {pinned: PINNED}, {pinned: {conf}}))).toEqual([
      'neutron-ovn-metadata-agent',
      'neutron-ovn-metadata-agent-pinned',
    ])
  })

  it('can have other pods and images', async () => {
    const pod = {
      tolerations: {compute: {enabled: true, tolerations: [{key: 'gpu', operator: 'Exists'}]}},
      mounts: {compute: {volumes: [{name: 'huge', hostPath: {path: '/dev/hugepages'}}]}},
    }
    const images = {tags: {compute: 'registry.example.org/nova-compute:2'}}

    const objects = await withGroups('nova', {gpu: {selector: {gpu: 'yes'}}}, {gpu: {pod, images}})

    const {containers, ...spec} = daemonSet(objects, 'nova-compute-gpu').template.spec
    expect(containers[0]?.image).toBe(images.tags.compute)
    expect(spec).toMatchObject({tolerations: pod.tolerations.compute.tolerations})
    expect(spec.volumes).toContainEqual(pod.mounts.compute.volumes[0])
    expect(filesOf(objects, 'nova-compute-gpu')).toEqual(filesOf(objects, 'nova-compute'))
  })

  it('have their own secrets', async () => {
    const conf = {
      nova: {neutron: {metadata_proxy_shared_secret: 'other'}, vmware: {host_password: 'marked-here'}},
    }

    const objects = await withGroups('nova', {pinned: PINNED}, {pinned: {conf}})

    const decoded = Buffer.from(filesOf(objects, 'nova-compute-pinned')['nova.conf']!, 'base64').toString()
    const {env = []} = daemonSet(objects, 'nova-compute-pinned').template.spec.containers[0]!
    const secret = env.find(({name}) => name === 'OS_NEUTRON__METADATA_PROXY_SHARED_SECRET')?.valueFrom
    const data = find(objects, 'Secret', 'nova-env').data!
    expect(decoded).toContain('host_password = marked-here\n')
    expect(Buffer.from(data[secret!.secretKeyRef!.key]!, 'base64').toString()).toBe('other')
    expect(JSON.stringify(ofKind(objects, 'ConfigMap'))).not.toContain('marked-here')
    expect(filesOf(objects, 'nova-compute')).toEqual(filesOf(await charts.render('nova'), 'nova-compute'))
  })

  it('have optional files that others do not have', async () => {
    const conf = {policy: {'os_compute_api:servers:create': '!'}}

    const objects = await withGroups('nova', {pinned: PINNED}, {pinned: {conf}})

    expect(Object.keys(filesOf(objects, 'nova-compute-pinned'))).toContain('policy.yaml')
    expect(filesOf(objects, 'nova-compute-pinned')['config.json']).toContain('/etc/nova/policy.yaml')
    expect(Object.keys(filesOf(objects, 'nova-compute'))).not.toContain('policy.yaml')
  })

  it.each(HELMS)('are the same with %s', async (helm) => {
    const values = {node_groups: {pinned: {...PINNED, conf: {nova: CPUS}}}}

    expect(await charts.render('nova', {values, helm})).toEqual(await charts.render('nova', {values}))
  })

  it('are omitted with that of their component', async () => {
    const values = {manifests: {daemonset_compute: false}}

    const objects = await withGroups('nova', {pinned: PINNED}, {pinned: {conf: {nova: CPUS}}}, values)

    expect(sets(objects)).toEqual([])
  })

  it('exist without global, by plain helm', async () => {
    const objects = await charts.render('ovn', {
      values: {node_groups: {edge: {hosts: ['cmp7'], conf: {chassis: {tunnel_interface: 'ens3'}}}}},
    })

    expect(nodesOf(objects, 'ovn-controller-edge')).toEqual(['kubernetes.io/hostname in (cmp7)'])
    expect(nodesOf(objects, 'ovn-controller')).toEqual(['kubernetes.io/hostname notin (cmp7)'])
    expect(filesOf(objects, 'ovn-controller-edge')['chassis.json']).toContain('"tunnel_interface": "ens3"')
    expect(ofKind(objects, 'ClusterRole').map(({metadata}) => metadata.name)).toEqual([
      'openstack-ovn-controller',
    ])
  })
})

describe('a node in several groups', () => {
  const groups = {
    big: {selector: {size: 'big', [LABEL]: ['a', 'b']}},
    one: {hosts: ['cmp1'], extends: 'pinned'},
    pinned: PINNED,
    'pinned-pci': {selector: {pci: 'yes'}, extends: 'pinned'},
    zoned: {selector: {zone: 'z'}, availability_zone: 'z'},
  }
  const conf = (option: object) => ({conf: {nova: {compute: option}}})
  const own = {
    big: conf({max_disk_devices_to_attach: 9}),
    one: conf({cpu_shared_set: '0'}),
    pinned: conf({cpu_dedicated_set: '2-15'}),
    'pinned-pci': conf({cpu_shared_set: '1'}),
  }

  it('has the pod of the first: by hosts, then by selector, before the group that it extends', async () => {
    const objects = await withGroups('nova', groups, own)

    const notOne = 'kubernetes.io/hostname notin (cmp1)'
    expect(nodesOf(objects, 'nova-compute-one')).toEqual(['kubernetes.io/hostname in (cmp1)'])
    expect(nodesOf(objects, 'nova-compute-pinned-pci')).toEqual([`pci in (yes), ${notOne}`])
    expect(nodesOf(objects, 'nova-compute-big')).toEqual([
      `${LABEL} in (a,b), size in (big), ${notOne}, pci notin (yes)`,
    ])
    expect(nodesOf(objects, 'nova-compute-pinned')).toEqual([
      `${LABEL} in (pinned), ${notOne}, pci notin (yes), ${LABEL} notin (a,b)`,
      `${LABEL} in (pinned), ${notOne}, pci notin (yes), size notin (big)`,
    ])
    expect(nodesOf(objects, 'nova-compute')).toEqual([
      `${notOne}, pci notin (yes), ${LABEL} notin (a,b), ${LABEL} notin (pinned)`,
      `${notOne}, pci notin (yes), size notin (big), ${LABEL} notin (pinned)`,
    ])
  })

  it('has the configuration of the group that its own extends, under its own', async () => {
    const text = filesOf(await withGroups('nova', groups, own), 'nova-compute-one')['nova.conf']

    expect(text).toContain('[compute]\ncpu_dedicated_set = 2-15\ncpu_shared_set = 0\n')
  })

  it('keeps the affinity of the deployer', async () => {
    const terms = [
      {matchExpressions: [{key: 'a', operator: 'In', values: ['1']}]},
      {matchExpressions: [{key: 'b', operator: 'In', values: ['2']}]},
    ]
    const required = {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: terms}}
    const values = {pod: {affinity: {nodeAffinity: {compute: required}}}}

    const objects = await withGroups('nova', {pinned: PINNED}, {pinned: {conf: {nova: CPUS}}}, values)

    expect(nodesOf(objects, 'nova-compute-pinned')).toEqual([
      `a in (1), ${LABEL} in (pinned)`,
      `b in (2), ${LABEL} in (pinned)`,
    ])
  })
})

it('a chart without DaemonSets refuses what groups change, and ignores groups below global', async () => {
  const global = mergeValues(GIVEN, {node_groups: {pinned: PINNED}})
  const values = {node_groups: {pinned: {conf: {placement: {DEFAULT: {debug: true}}}}}}

  expect(await charts.refusal('placement', {global, values})).toContain(
    'node_groups.pinned: placement has no DaemonSet that could differ on its nodes',
  )
  expect(await charts.render('placement', {global})).toEqual(await charts.render('placement'))
})

describe('groups are refused', () => {
  it.each<[string, Values, Values, string]>([
    ['without nodes', {}, {pinned: {conf: {nova: CPUS}}}, 'node_groups.pinned: give either selector'],
    [
      'with a selector and hosts',
      {pinned: {...PINNED, hosts: ['cmp1']}},
      {},
      'node_groups.pinned: give either selector, labels of its nodes, or hosts, their names',
    ],
    [
      'that share a host',
      {a: {hosts: ['cmp1', 'cmp2']}, b: {hosts: ['cmp2']}},
      {},
      'the host cmp2 is in a and in b',
    ],
    [
      'that extend each other',
      {a: {hosts: ['a'], extends: 'b'}, b: {hosts: ['b'], extends: 'a'}},
      {},
      'groups extend each other: a, b, a',
    ],
    [
      'that extend none',
      {a: {hosts: ['a'], extends: 'b'}},
      {},
      'node_groups.a extends b, which does not exist',
    ],
    [
      'with a file that no DaemonSet reads',
      {pinned: PINNED},
      {pinned: {conf: {nova_api_uwsgi: {uwsgi: {processes: 2}}}}},
      'node_groups.pinned.conf.nova_api_uwsgi: no DaemonSet of nova reads it; they read nova',
    ],
    ['with a name that is none of Kubernetes', {Pinned: PINNED}, {}, 'Pinned'],
    ['with configuration below global', {pinned: {...PINNED, conf: {}}}, {}, 'conf'],
  ])('%s', async (_, groups, own, message) => {
    const refusal = await charts.refusal('nova', {
      global: mergeValues(GIVEN, {node_groups: groups}),
      values: {node_groups: own},
    })

    expect(refusal).toContain(message)
  })
})
