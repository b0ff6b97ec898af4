import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/overrides/merge.ts'
import {SECRETS, useCharts} from './support/charts.ts'
import {containers, find, ofKind, pods, variable} from './support/objects.ts'

const charts = await useCharts()

const NB = [0, 1, 2].map((i) => `tcp:ovn-nb-${i}.ovn-nb-peers.openstack.svc.cluster.local:6641`)
const SB = [0, 1, 2].map((i) => `tcp:ovn-sb-${i}.ovn-sb-peers.openstack.svc.cluster.local:6642`)

describe('the databases of OVN', () => {
  it('start together, by names that stay, and are found before they are ready', async () => {
    const objects = await charts.render('ovn', {values: {pod: {replicas: {nb: 3, sb: 3}}}})

    const set = find(objects, 'StatefulSet', 'ovn-nb')
    expect(set.spec).toMatchObject({replicas: 3, podManagementPolicy: 'Parallel'})
    const [member] = set.spec!.template!.spec.containers
    expect(variable(member!, 'ADDRESS')).toBe('tcp:$(POD_NAME).ovn-nb-peers.openstack.svc.cluster.local')
    expect(find(objects, 'Service', 'ovn-nb-peers').spec).toMatchObject({publishNotReadyAddresses: true})
  })

  it('are all named to their clients in the release', async () => {
    const objects = await charts.render('ovn', {values: {pod: {replicas: {nb: 3, sb: 3}}}})

    const northd = containers({spec: find(objects, 'Deployment', 'ovn-northd').spec!.template!.spec})
    const main = northd.find(({name}) => name === 'northd')!
    expect(variable(main, 'OVN_NB_DB')).toBe(NB.join(','))
    expect(variable(main, 'OVN_SB_DB')).toBe(SB.join(','))
  })

  it('are all named to neutron, where global says how many there are', async () => {
    const members = (name: string) => ({statefulset: {name, replicas: 3}})
    const endpoints = {ovn_ovsdb_nb: members('ovn-nb'), ovn_ovsdb_sb: members('ovn-sb')}

    const objects = await charts.render('neutron', {global: mergeValues(SECRETS, {endpoints})})

    const files = find(objects, 'ConfigMap', 'neutron-etc').data!
    expect(files['ml2_conf.ini']).toContain(`ovn_nb_connection = ${NB.join(',')}\n`)
    expect(files['neutron_ovn_metadata_agent.ini']).toContain(`ovn_sb_connection = ${SB.join(',')}\n`)
  })
})

it("neutron logs in to tell Placement of a segment's addresses", async () => {
  const files = find(await charts.render('neutron'), 'ConfigMap', 'neutron-etc').data!

  const [, section] = /\[placement\]\n((?:.+\n)+)/.exec(files['neutron.conf']!)!
  expect(section).toContain('auth_type = password\n')
  expect(section).toContain('username = neutron\n')
})

describe('what pods may do on their node', () => {
  it('is no more than their work needs', async () => {
    const privileges = await Promise.all(
      ['openvswitch', 'ovn', 'neutron'].map(async (chart) =>
        pods(ofKind(await charts.render(chart), 'DaemonSet')).map(({owner, spec}) => {
          const {privileged = false, capabilities} = spec.containers[0]!.securityContext as {
            privileged?: boolean
            capabilities?: {add: string[]}
          }
          const network = (capabilities?.add ?? []).filter((name) => name.startsWith('NET_'))
          return [owner.replace('DaemonSet ', ''), spec.hostNetwork === true, privileged || network]
        }),
      ),
    )

    expect(privileges.flat()).toEqual([
      ['openvswitch-db', false, ['NET_BIND_SERVICE']],
      ['openvswitch-vswitchd', true, ['NET_ADMIN', 'NET_RAW']],
      ['ovn-controller', true, ['NET_ADMIN']],
      ['neutron-ovn-metadata-agent', true, true],
    ])
  })

  it("lets only OVN's controller ask for its node", async () => {
    const objects = await charts.render('ovn')

    expect(ofKind(objects, 'ClusterRole')).toMatchObject([
      {metadata: {name: 'openstack-ovn-controller'}, rules: [{resources: ['nodes'], verbs: ['get']}]},
    ])
    expect(find(objects, 'ClusterRoleBinding', 'openstack-ovn-controller')).toMatchObject({
      subjects: [{kind: 'ServiceAccount', name: 'ovn-controller', namespace: 'openstack'}],
    })
    expect(find(objects, 'ClusterRole', 'openstack-ovn-controller').metadata.namespace).toBeUndefined()
  })
})
