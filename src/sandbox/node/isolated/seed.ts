import {rm} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../../../base/errors.ts'
import {command} from '../host/command.ts'
import {ctr, startContainerd} from '../parts/containerd.ts'
import {nodePaths} from '../paths.ts'
import {nodeTools} from '../tools.ts'
import {type IsolatedNode, isolatedNodes} from './isolated-node.ts'
import {killPart} from './programs.ts'
import {type ClusterOptions, withCluster} from './with-cluster.ts'

/** What containerd writes to; all else in its directory is written once. */
const DATABASES = [
  'io.containerd.metadata.v1.bolt/meta.db',
  'io.containerd.snapshotter.v1.overlayfs/metadata.db',
]

interface SeedOptions extends ClusterOptions {
  /** Lists the images in the registry of the nodes. */
  readonly listImages: () => Promise<readonly string[]>
}

/**
 * Pulls images to the first of several nodes, and gives the others a copy of its store, by hard links: on
 * disk, each image is there once. Rejects with `KK_AIO` if a node has pods, whose disks are in its store.
 * Resolves with the number of images.
 */
export async function seedNodes({listImages, ...options}: SeedOptions): Promise<number> {
  const {env, onProgress, signal} = options
  const {pause} = nodeTools(env)
  return withCluster(options, async (cluster) => {
    const nodes = await isolatedNodes(nodePaths(env), cluster.nodes)
    await requireEmpty(nodes)
    const [first, ...others] = nodes as [IsolatedNode, ...IsolatedNode[]]
    const images = await listImages()
    onProgress(`pulling ${images.length} images to ${first.name}`)
    for (const image of images) {
      signal?.throwIfAborted()
      await command([...ctr(first), 'images', 'pull', '--plain-http', image])
    }
    onProgress('copying them to the other nodes')
    for (const node of nodes) await killPart(node, 'containerd')
    for (const node of others) await copyStore(first, node)
    for (const node of nodes) await startContainerd(node, pause, signal)
    return images.length
  })
}

async function requireEmpty(nodes: readonly IsolatedNode[]): Promise<void> {
  for (const node of nodes) {
    if ((await command([...ctr(node), 'containers', 'list', '--quiet'])).trim() === '') continue
    throw new KkError('KK_AIO', `${node.name} has pods, whose disks are among its images`, {
      hint: 'seed the nodes before the first deploy; these pull their images themselves',
    })
  }
}

async function copyStore(from: IsolatedNode, to: IsolatedNode): Promise<void> {
  const [source, target] = [from, to].map(({paths}) => join(paths.directory, 'containerd')) as [
    string,
    string,
  ]
  await rm(target, {recursive: true})
  await command(['cp', '--archive', '--link', source, target])
  for (const file of DATABASES)
    await command(['cp', '--archive', '--remove-destination', join(source, file), join(target, file)])
}
