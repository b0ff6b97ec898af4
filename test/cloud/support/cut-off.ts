import {mkdir, readFile, rmdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {BRIDGE} from '../../../src/sandbox/node/network.ts'
import {exists} from '../../../src/state/files/exists.ts'
import {kk} from '../../aio/support/node.ts'

const GROUP = 'kk-cut-off'

/**
 * Takes the network from the node, and from nothing else on the machine: what its container runtime and
 * kubelet start, and they themselves, and the pods, reach nothing by the machine's default route. It comes
 * back when this is disposed.
 */
export async function cutOff(): Promise<AsyncDisposable> {
  // Where both versions of control groups are mounted, the second is below.
  const unified = '/sys/fs/cgroup/unified'
  const root = (await exists(unified)) ? unified : '/sys/fs/cgroup'
  const group = join(root, GROUP)
  const {components} = JSON.parse((await kk(['aio', 'status', '--output', 'json'])).stdout)
  const move = async (to: string, pids: readonly string[]) => {
    // What has ended meanwhile need not be moved.
    for (const pid of pids) await writeFile(join(to, 'cgroup.procs'), pid).catch(() => undefined)
  }
  const inside = async () => (await readFile(join(group, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean)
  await mkdir(group, {recursive: true})
  await move(group, [`${components.containerd}`, `${components.kubelet}`])
  const {stdout} = await execa('ip', ['-json', 'route', 'show', 'default'])
  const [way] = JSON.parse(stdout) as readonly {readonly dev: string}[]
  const outside = ['--out-interface', way!.dev, '--jump', 'REJECT']
  const rules = [
    ['OUTPUT', '--match', 'cgroup', '--path', GROUP, ...outside],
    ['FORWARD', '--in-interface', BRIDGE, ...outside],
  ]
  const each = async (verb: string) => {
    for (const rule of rules) await execa('iptables', ['--wait', verb, ...rule])
  }
  await each('--insert')
  return {
    async [Symbol.asyncDispose]() {
      await each('--delete')
      // What they have started meanwhile, too, and what that goes on to start.
      for (let left = await inside(); left.length > 0; left = await inside()) await move(root, left)
      await rmdir(group)
    },
  }
}
