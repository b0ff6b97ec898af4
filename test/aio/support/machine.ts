import {readdir, readFile} from 'node:fs/promises'
import {execa} from 'execa'

const SETTINGS = [
  'net/ipv4/ip_forward',
  'net/bridge/bridge-nf-call-iptables',
  'net/ipv4/conf/all/route_localnet',
  'net/netfilter/nf_conntrack_max',
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
]

/** Directories where programs of a node might leave something, whatever they are told. */
const DIRECTORIES = [
  '/run/containerd',
  '/run/netns',
  '/run/docker-registry',
  '/var/lib/cni',
  '/var/lib/kubelet',
  '/var/lib/containerd',
  '/var/log/pods',
  '/var/log/containers',
  '/etc/cni',
  '/opt/containerd',
  '/usr/libexec/kubernetes',
  '/etc/libvirt',
  '/run/libvirt',
  '/run/openvswitch',
  '/var/lib/libvirt',
  '/var/lib/nova',
  '/var/lib/openvswitch',
]

/** What a node could leave on a machine: found otherwise than kk finds it. */
export async function machine(): Promise<object> {
  return {
    processes: await podProcesses(),
    mounts: (await lines('/proc/self/mounts')).filter((line) => /kk-aio|kubelet|containerd/.test(line)),
    interfaces: (await readdir('/sys/class/net')).sort(),
    rules: [...(await rules('iptables-save')), ...(await rules('ip6tables-save'))],
    settings: await Promise.all(
      SETTINGS.map((name) => readFile(`/proc/sys/${name}`, 'utf8').catch(() => '')),
    ),
    directories: await Promise.all(DIRECTORIES.map((name) => readdir(name).catch(() => 'missing'))),
    cgroups: (await readdir('/sys/fs/cgroup/memory').catch(() => readdir('/sys/fs/cgroup'))).sort(),
  }
}

/** Command lines of what runs in the node's cgroup, or of the programs that a test has in its pods. */
async function podProcesses(): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const [cgroup, command] = await Promise.all(
        ['cgroup', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      )
      const ofNode = /kk-aio/.test(cgroup!) || /424242|shim-runc|kk-aio-test\/kk\/sandboxes/.test(command!)
      // Without a command line it has ended, and only init has not yet been told.
      return ofNode && command !== '' ? [command!] : []
    }),
  )
  return found.flat()
}

/** Rules and chains that somebody made, without counters. */
async function rules(command: string): Promise<readonly string[]> {
  const {stdout} = await execa(command, {env: {PATH: `${process.env.PATH}:/usr/sbin:/sbin`}})
  return stdout.split('\n').filter((line) => line.startsWith('-A') || /^:\S+ - /.test(line))
}

async function lines(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).trim().split('\n')
}
