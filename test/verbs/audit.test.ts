import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {Environment} from '../../src/environment/environment.ts'
import type {SeenPod} from '../../src/kubernetes/exec/exec.ts'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import {usesLabel} from '../../src/plan/labels.ts'
import {auditCloud} from '../../src/verbs/audit.ts'
import {answeringPods, podOf} from '../audit/support/answering-pods.ts'

const ORPHAN = {
  tables: {
    Interface: [
      {name: 'tap9', error: [], external_ids: {'iface-id': '00000000-0000-4000-8000-000000000009'}},
      {name: "tap'8", error: 'could not open network device', external_ids: {}},
    ],
    Open_vSwitch: [{external_ids: {'system-id': 'one'}}],
  },
  members: null,
}
const NO_SCHEMA = {applied: [], known: null, pending: [], unknown: []}
const NO_SERVERS = {
  api: {mappings: [], builds: [], hosts: [], cellIds: [], schema: NO_SCHEMA, cells: {}},
}
const NO_PORTS = {
  neutron: {ports: [], networks: [], routers: [], groups: [], addresses: [], subnets: [], schema: NO_SCHEMA},
}

/** An environment whose release `switch` has the chart openvswitch. */
const environment = {
  ...{name: 'cloud', namespace: 'openstack'},
  releases: new Map([['switch', {chart: 'openvswitch', requires: [], without: []}]]),
} as unknown as Environment

const PODS = [
  podOf('openvswitch', 'db', {release: 'switch'}),
  podOf('nova', 'conductor'),
  podOf('neutron', 'server'),
]

function cloudOf(
  releases: readonly (string | ReleaseRecord)[],
  pods: readonly SeenPod[],
  switchOf: () => object = () => ORPHAN,
) {
  const {ports, programs} = answeringPods(pods, {
    'openvswitch-db-0': switchOf,
    'nova-conductor-0': () => NO_SERVERS,
    'neutron-server-0': () => NO_PORTS,
  })
  const records = releases.map((each) => (typeof each === 'string' ? recordOf(each) : each))
  const cluster = {
    ...{context: 'lab', kubeconfig: undefined, helmContext: 'lab', exec: ports.exec},
    records: {list: async () => records} as never,
    diagnosis: {certificates: async () => []} as never,
  }
  return {cluster, programs}
}

function recordOf(name: string, labels = {}): ReleaseRecord {
  return {release: `openstack/${name}`, status: 'deployed', labels} as unknown as ReleaseRecord
}

const options = {
  ...{environment, files: join(import.meta.dirname, '../..'), now: 0, place: 'cloud.yaml'},
  settle: async () => undefined,
}

describe('the audit of a cloud', () => {
  it('prints each repair as a command line, and executes the safe ones in their pods', async () => {
    const {cluster, programs} = cloudOf(['switch', 'nova', 'neutron'], PODS)

    const {report, repairs, execute} = await auditCloud(cluster, options)
    const repaired = await execute(repairs[0]!)

    const at = 'kubectl --context lab exec --namespace openstack openvswitch-db-0 --container db --'
    expect(report.findings.map(({kind, safe, repair}) => ({kind, safe, repair}))).toEqual([
      {kind: 'ORPHAN_OVS_PORT', safe: true, repair: `${at} ovs-vsctl --if-exists del-port tap9`},
      {
        ...{kind: 'OVS_PORT_WITHOUT_DEVICE', safe: true},
        repair: `${at} ovs-vsctl --if-exists del-port 'tap'\\''8'`,
      },
    ])
    expect(repairs.map(({text}) => text)).toEqual(report.findings.map(({repair}) => repair))
    expect(repaired).toMatchObject({command: report.findings[0]!.repair, succeeded: true})
    expect(programs.at(-1)).toMatchObject({
      pod: 'openvswitch-db-0',
      command: ['ovs-vsctl', '--if-exists', 'del-port', 'tap9'],
    })
  })

  it('reads the sources of a repair again, and does not repair what is consistent by then', async () => {
    const later = {...ORPHAN, tables: {...ORPHAN.tables, Interface: []}}
    const readings = [ORPHAN, ORPHAN, later]
    const {cluster, programs} = cloudOf(['switch', 'nova', 'neutron'], PODS, () => readings.shift()!)

    const {repairs, execute} = await auditCloud(cluster, options)
    const before = programs.length
    const repaired = await execute(repairs[0]!)

    expect(repaired).toEqual({
      ...{command: repairs[0]!.text, succeeded: true},
      output: 'not executed: this is consistent by now',
    })
    expect(
      programs
        .slice(before)
        .map(({pod}) => pod)
        .toSorted(),
    ).toEqual([...['neutron-server-0', 'nova-conductor-0', 'openvswitch-db-0']])
  })

  it('does not repair what cannot be read again', async () => {
    const readings = [ORPHAN, ORPHAN, {code: 1, stderr: 'no socket'}]
    const {cluster} = cloudOf(['switch', 'nova', 'neutron'], PODS, () => readings.shift()!)

    const {repairs, execute} = await auditCloud(cluster, options)
    const repaired = await execute(repairs[0]!)

    expect(repaired.succeeded).toBe(false)
    expect(repaired.output).toBe(
      'not executed: openvswitch on one cannot be read again: pod openvswitch-db-0: no socket',
    )
  })

  it('excludes the releases of other environments, unless its own use them', async () => {
    const owned = (owner: string, more = {}) => ({'kk.openstack.org/owner': owner, ...more})
    const {cluster} = cloudOf(
      [
        recordOf('nova', owned('cloud', {[usesLabel('openstack/keystone')]: 'ready'})),
        recordOf('keystone', owned('base')),
        recordOf('second', owned('other', {'kk.openstack.org/chart': 'neutron-0.1.0'})),
        recordOf('cinder', owned('other')),
      ],
      [],
    )

    const {report} = await auditCloud(cluster, options)

    expect(report.notAsked.map(({source}) => source)).toEqual(['nova', 'keystone', 'server pools'])
  })

  it('names a deployed service that has no pod', async () => {
    const {cluster} = cloudOf(['switch'], [])

    const {report} = await auditCloud(cluster, options)

    expect(report.notAsked).toEqual([
      {source: 'openvswitch', reason: 'openvswitch has no pod of db or vswitchd'},
    ])
  })

  it('does not call a namespace without services consistent', async () => {
    const {cluster} = cloudOf(['something'], [])

    const {report} = await auditCloud(cluster, options)

    expect(report.notAsked).toEqual([
      {source: 'services', reason: 'no service that an audit reads is deployed in openstack'},
    ])
  })
})
