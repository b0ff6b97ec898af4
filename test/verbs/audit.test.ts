import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {Environment} from '../../src/environment/environment.ts'
import type {SeenPod} from '../../src/kubernetes/exec/exec.ts'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import {auditCloud, executeRepair} from '../../src/verbs/audit.ts'
import {answeringPods, podOf} from '../audit/support/answering-pods.ts'

const ORPHAN = {
  tables: {
    Interface: [
      {name: 'tap9', error: [], external_ids: {'iface-id': 'gone'}},
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

function cloudOf(releases: readonly string[], pods: readonly SeenPod[]) {
  const {ports, programs} = answeringPods(pods, {
    'openvswitch-db-0': () => ORPHAN,
    'nova-conductor-0': () => NO_SERVERS,
    'neutron-server-0': () => NO_PORTS,
  })
  const records = releases.map((name) => ({release: `openstack/${name}`}) as unknown as ReleaseRecord)
  const cluster = {
    ...{context: 'lab', kubeconfig: undefined, helmContext: 'lab', exec: ports.exec},
    records: {list: async () => records} as never,
    diagnosis: {certificates: async () => []} as never,
  }
  return {cluster, programs}
}

const options = {
  ...{environment, files: join(import.meta.dirname, '../..'), now: 0, place: 'cloud.yaml'},
  settle: async () => undefined,
}

describe('the audit of a cloud', () => {
  it('prints each repair as a command line, and executes the safe ones in their pods', async () => {
    const pods = [podOf('openvswitch', 'db'), podOf('nova', 'conductor'), podOf('neutron', 'server')]
    const {cluster, programs} = cloudOf(['switch', 'nova', 'neutron'], pods)

    const {report, repairs} = await auditCloud(cluster, options)
    const repaired = await executeRepair(cluster, repairs[0]!)

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
