import {afterAll, beforeAll, describe, expect, inject, it} from 'vitest'
import type {ReleaseStatus} from '../../src/verbs/observation/release-status.ts'
import {uniqueName, waitFor} from '../e2e/support/cluster.ts'
import {type Corner, openCorner} from '../e2e/support/corner.ts'
import {kk} from '../e2e/support/kk.ts'
import {sandbox} from '../e2e/support/sandboxes.ts'

/** The `maxUnavailable` of `held` is the number of dead nodes: Kubernetes replaces none of its pods. */
const AGENTS = `
{{- range tuple (dict "name" "agent" "most" "50%") (dict "name" "held" "most" "3%") (dict "name" "guests") }}
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{ .name }}
  {{- if not .most }}
  annotations: {kk.openstack.org/roll: node-by-node, kk.openstack.org/roll-max-unavailable: "10%"}
  {{- end }}
spec:
  updateStrategy:
    type: {{ ternary "RollingUpdate" "OnDelete" (hasKey . "most") }}
    {{- with .most }}
    rollingUpdate: {maxUnavailable: {{ . }}}
    {{- end }}
  selector: {matchLabels: {app: {{ .name }}}}
  template:
    metadata:
      labels: {app: {{ .name }}}
    spec:
      terminationGracePeriodSeconds: 0
      containers: [{name: agent, image: {{ $.Values.image | quote }}}]
{{- end }}
`

const DEAD = ['node-20', 'node-40', 'node-60']
const DYING = 'node-80'

interface Pods {
  readonly items: readonly {
    readonly spec: {readonly nodeName: string; readonly containers: readonly {readonly image: string}[]}
  }[]
}
interface Node {
  readonly status: {readonly conditions: readonly {readonly type: string; readonly status: string}[]}
}

describe('a cluster of 100 nodes', () => {
  const name = uniqueName(inject('run').sandbox)
  let corner: Corner

  beforeAll(async () => {
    const up = await sandbox('up', name, '--nodes', '100')
    expect(up.exitCode, up.stderr).toBe(0)
    corner = await openCorner()
    await corner.write(
      'charts/agents/Chart.yaml',
      'apiVersion: v2\nname: agents\nversion: 0.1.0\nannotations: {kk.openstack.org/requires: ""}\n',
    )
    await corner.write('charts/agents/templates/agents.yaml', AGENTS)
    await write('agent:1')
  })
  afterAll(async () => {
    await sandbox('down', name)
  })

  /** A node that dies in a roll is left behind after 200 s without a report, and 40 s of not being Ready. */
  const write = (image: string) =>
    corner.write(
      'env.yaml',
      `kk: {name: NAME, namespace: NAME, charts: [charts], releases: {agents: {timeout: 6m}}}\nagents: {image: "${image}"}\n`,
    )
  const run = (...words: readonly string[]) => corner.kk([...words, '--sandbox-name', name])
  const kubectl = async (...words: readonly string[]) => {
    const {stdout} = await kk(['sandbox', 'shell', '--sandbox-name', name, '--', 'kubectl', ...words])
    return stdout
  }
  /** Kwok is the kubelet of the nodes whose Leases it holds: with another holder, they no longer report. */
  const kill = (...nodes: readonly string[]) =>
    Promise.all(
      nodes.map((node) => {
        const spec = {holderIdentity: 'another', leaseDurationSeconds: 86_400}
        const patch = JSON.stringify({spec})
        return kubectl(
          'patch',
          'lease',
          node,
          '--namespace',
          'kube-node-lease',
          '--type',
          'merge',
          '--patch',
          patch,
        )
      }),
    )
  const revive = (...nodes: readonly string[]) =>
    kubectl('delete', 'lease', ...nodes, '--namespace', 'kube-node-lease')
  const isReady = async (node: string) => {
    const {status} = JSON.parse(await kubectl('get', 'node', node, '--output', 'json')) as Node
    return status.conditions.some((each) => each.type === 'Ready' && each.status === 'True')
  }
  /** In a sandbox, a node is not Ready 200 s after its last report (kwokctl's node-monitor-grace-period). */
  const become = (nodes: readonly string[], wanted: boolean) =>
    waitFor(async () => (await Promise.all(nodes.map(isReady))).every((is) => is === wanted), {
      until: `${nodes.join(', ')} are ${wanted ? '' : 'not '}ready`,
      seconds: 300,
    })
  const nodesWith = async (image: string) => {
    const pods = await kubectl('get', 'pods', '--namespace', corner.name, '--output', 'json')
    const {items} = JSON.parse(pods) as Pods
    const nodes = items.filter(({spec}) => spec.containers[0]?.image === image).map(({spec}) => spec.nodeName)
    return [...new Set(nodes)].sort()
  }
  const status = async () => {
    const {stdout} = await run('status', 'env.yaml', '--output', 'json')
    const [release] = (JSON.parse(stdout) as {readonly releases: readonly ReleaseStatus[]}).releases
    return release!
  }

  it('is deployed without the nodes that are dead and the one that dies, names them, and catches up', async () => {
    const installed = await run('deploy', 'env.yaml')
    expect(installed.exitCode, installed.stderr).toBe(0)
    await kill(...DEAD)
    await become(DEAD, false)
    await write('agent:2')

    // A node is left behind when it has not been Ready for 40 s.
    const plan = await waitFor(
      async () => {
        const planned = await run('plan', 'env.yaml')
        return planned.stdout.includes('(NotReady since ') && planned
      },
      {until: 'the plan leaves nodes behind', seconds: 90},
    )
    // Its kubelet starts no new pod, which Kubernetes notices in mid-roll.
    await kill(DYING)
    const deployed = await run('deploy', 'env.yaml')

    expect(plan.stdout).toContain('node node-20 (NotReady since ')
    expect(deployed.exitCode, deployed.stderr).toBe(0)
    const left = await status()
    expect(left.health).toMatchObject({state: 'partial'})
    const notes = left.health && 'notes' in left.health ? (left.health.notes ?? []) : []
    const named = notes.flatMap(({leftBehind = []}) => leftBehind.map(({node}) => node))
    expect(new Set(named)).toEqual(new Set([...DEAD, DYING]))

    await revive(...DEAD, DYING)
    await become([...DEAD, DYING], true)
    const again = await run('upgrade', 'env.yaml')

    expect(again.exitCode, again.stderr).toBe(0)
    await waitFor(async () => (await nodesWith('agent:1')).length === 0, {
      until: 'no pod is of the old version',
    })
    expect(await nodesWith('agent:2')).toHaveLength(100)
    expect((await status()).health).toEqual({state: 'healthy'})
  }, 1_200_000)
})
