import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {imageArchive} from '../../../src/sandbox/node/pause-image.ts'
import {kubectl, nodeHome} from './node.ts'

/** Debian's busybox and curl, in the node's registry. */
export const IMAGE = 'localhost:5010/busybox:test'

/**
 * Pushes the image by a node's containerd and takes it from there again, so that the kubelet has to pull it.
 */
export async function pushImage(node = 'node'): Promise<void> {
  const archive = join(nodeHome(), 'busybox.tar')
  await writeFile(
    archive,
    await imageArchive({name: IMAGE, files: await programs(), entrypoint: ['/bin/busybox']}),
  )
  const ctr = ['--address', join(nodeHome(), node, 'containerd.sock'), '--namespace', 'push', 'images']
  await execa('ctr', [...ctr, 'import', archive])
  await execa('ctr', [...ctr, 'push', '--plain-http', IMAGE])
  await execa('ctr', [...ctr, 'remove', IMAGE])
}

/** A busybox that needs no library, and curl with its own: a name is looked up by what only libraries can. */
async function programs(): Promise<Readonly<Record<string, Buffer>>> {
  const {stdout} = await execa('ldd', ['/usr/bin/curl'])
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path]) => path!)
  const paths = ['/bin/busybox', '/usr/bin/curl', ...libraries]
  const contents = await Promise.all(
    paths.map(async (path) => [path.slice(1), await readFile(path)] as const),
  )
  return Object.fromEntries(contents)
}

interface PodOptions {
  readonly namespace: string
  readonly name?: string
  readonly labels?: Readonly<Record<string, string>>
  /** What busybox's shell runs. */
  readonly script?: string
  readonly container?: object
  readonly spec?: object
}

/** A pod of busybox that stays. */
function busyboxPod(options: PodOptions): object {
  const {namespace, name = 'busybox', labels = {}, script = 'sleep 1000000', container, spec} = options
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {name, namespace, labels},
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{name: 'main', image: IMAGE, args: ['sh', '-c', script], ...container}],
      ...spec,
    },
  }
}

/** Makes the pod and waits until it is Ready. */
export async function startPod(options: PodOptions): Promise<void> {
  const {namespace, name = 'busybox'} = options
  await kubectl(['create', '--filename', '-'], busyboxPod(options))
  await kubectl(['wait', '--namespace', namespace, `pod/${name}`, '--for=condition=Ready', '--timeout=90s'])
}

/** What a command of busybox's shell prints inside a pod. */
export async function inPod(namespace: string, script: string, name = 'busybox'): Promise<string> {
  return kubectl(['exec', '--namespace', namespace, name, '--', '/bin/busybox', 'sh', '-c', script])
}
