import {expect, it} from 'vitest'
import {get, kubectl, waitFor} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'

interface Pods {
  readonly items: readonly {
    readonly metadata: {
      readonly labels: Readonly<Record<string, string>>
      readonly deletionTimestamp?: string
    }
    readonly spec: {readonly nodeName?: string}
  }[]
}
const GROUP = 'kk.openstack.org/node-group'

/** The group of the pod on each node; a node with two pods has both. */
async function groupsOf({name}: Corner): Promise<readonly string[]> {
  const {items} = await get<Pods>(
    'pods',
    '--namespace',
    name,
    '--selector',
    'app.kubernetes.io/component=libvirt',
  )
  return items.map(({metadata, spec}) => `${spec.nodeName}: ${metadata.labels[GROUP] ?? 'none'}`).toSorted()
}

it('a node has the pods of its group, gets others with its labels, and is rolled with the other nodes', async () => {
  const corner = await openCorner()
  const label = `${corner.name}-group`
  const [first, second, third] = (
    await get<{items: readonly {metadata: {name: string}}[]}>('nodes')
  ).items.map(({metadata}) => metadata.name)
  const write = (level: number) =>
    corner.write(
      'env.yaml',
      `
kk: {name: NAME, namespace: NAME, charts: [built-in]}
libvirt:
  dependencies: {enabled: false}
  conf: {libvirt: {log_level: ${level}}}
  node_groups:
    pinned: {selector: {${label}: pinned}, conf: {qemu: {max_files: 65536}}}
`,
    )
  await kubectl(['label', 'node', first!, `${label}=pinned`])
  await write(1)

  const deployed = await corner.kk(['deploy', 'env.yaml'])

  expect(deployed.exitCode, deployed.stderr).toBe(0)
  expect(await groupsOf(corner)).toEqual([`${first}: pinned`, `${second}: none`, `${third}: none`])

  await kubectl(['label', 'node', second!, `${label}=pinned`])
  const moved = [`${first}: pinned`, `${second}: pinned`, `${third}: none`]
  await waitFor(async () => (await groupsOf(corner)).join() === moved.join(), {
    until: 'the node has the pod of its new group alone',
  })
  await write(2)

  const rolled = await corner.kk(['deploy', 'env.yaml'])

  expect(rolled.exitCode, rolled.stderr).toBe(0)
  expect(rolled.stderr).toContain('DaemonSet/libvirt-libvirt: 0 of 1 nodes')
  expect(rolled.stderr).toContain('DaemonSet/libvirt-libvirt-pinned: 1 of 2 nodes have its new pod')
  expect(await groupsOf(corner)).toEqual(moved)
})
