import {readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {execa} from 'execa'
import {firstInstance} from '../scripts/cloud/instance.ts'
import {aioEnvironment, runAio} from '../test/aio/support/run-aio.ts'
import type {AioRun} from '../test/aio/support/setup.ts'
import {CACHES, type FreshNode, ON_NODE, onFreshNode} from './measure/fresh-node.ts'
import {type Bench, type Result, seconds} from './result.ts'

const ENVIRONMENT = join(import.meta.dirname, '../environments/cloud.yaml')
/** The image of kk in the registry of the node. */
const IMAGE = 'localhost:5010/kk/kk:2025.1-debian-trixie'
const PING_MINUTES = 10
const MOST_OF_MAKESPAN = 1.1
const MOST_BYTES = 12 * 1024 ** 3
/** The cgroups of the cloud's pods and virtual machines. */
const CGROUPS = /\/(kubepods|machine|kk-libvirt)/

/** The all-in-one cloud with real pods, phase by phase. Needs root, and no running node. */
export function measureAio(bench: Bench): Promise<Result[]> {
  return onFreshNode(bench, ['cloud'], async (node) => {
    const {run, up, pushed, timed, phase} = node
    const deploy = () =>
      timed(async () => {
        await phase(['deploy', ENVIRONMENT, '--yes', ...ON_NODE])
        await token(run)
      })
    const cold = await deploy()
    const env = {...aioEnvironment(run), ...CACHES}
    const instance = await timed(() => firstInstance({say: (line) => process.stderr.write(`${line}\n`), env}))
    const ping = up + pushed + cold + instance
    const bytes = await memoryOfCloud()
    const nothing = await phase(['deploy', ENVIRONMENT, '--yes', ...ON_NODE])
    const confirmed = ['cloud', 'ceph', 'mariadb', 'rabbitmq'].flatMap((name) => ['--confirm', name])
    const destroy = () => phase(['destroy', ENVIRONMENT, '--yes', ...confirmed, ...ON_NODE])
    const gone = await destroy()
    const warm = await deploy()
    await destroy()
    const operated = await byOperator(node)
    const ratio = operated / warm
    return [
      {what: 'kk aio up', value: seconds(up), target: {text: '< 60 s', met: up < 60_000}},
      {what: '  images pushed into its empty registry', value: seconds(pushed)},
      {what: '  environments/cloud.yaml deployed, to a token', value: seconds(cold)},
      {what: '  the same with the images on the node', value: seconds(warm)},
      {
        what: '  by the operator in the cluster, from its Environment to Ready',
        value: seconds(operated),
        beside: {what: 'kk deploy', value: seconds(warm), ratio: ratio.toFixed(2)},
        target: {text: `<= ${MOST_OF_MAKESPAN.toFixed(2)}`, met: ratio <= MOST_OF_MAKESPAN},
      },
      {
        what: '  the node, its images, OpenStack and a first virtual machine that answers ping and SSH',
        value: seconds(ping),
        target: {text: `< ${PING_MINUTES} min`, met: ping < PING_MINUTES * 60_000},
      },
      {
        what: '  memory of its pods and the virtual machine',
        value: `${gibibytes(bytes)} GiB`,
        target: {text: `< ${gibibytes(MOST_BYTES)} GiB`, met: bytes < MOST_BYTES},
      },
      {what: '  deployed again, nothing to do', value: seconds(nothing)},
      {what: '  destroyed', value: seconds(gone)},
    ]
  })
}

/**
 * Installs the operator, hands it the cloud while nothing of it exists, and resolves with the milliseconds
 * until it is Ready.
 */
async function byOperator({run, env, timed, phase}: FreshNode): Promise<number> {
  const kubectl = (...words: readonly string[]) =>
    execa('kubectl', [...words, '--namespace', 'kk-system'], {env, extendEnv: false})
  const file = join(run.home, 'cloud.yaml')
  // Its charts are those of the operator's image.
  await writeFile(file, (await readFile(ENVIRONMENT, 'utf8')).replace(/^ {2}charts: .*\n/m, ''))
  const install = ['operator', 'install', '--image', IMAGE, '--namespace', 'openstack', '--cluster-objects']
  await phase([...install, '--yes', ...ON_NODE])
  await kubectl('rollout', 'status', 'deployment/kk-operator')
  await phase(['operator', 'adopt', file, ...ON_NODE])
  return timed(async () => {
    await phase(['operator', 'resume', 'cloud', ...ON_NODE])
    await kubectl('wait', '--for=condition=Ready', 'environment.kk.openstack.org/cloud', '--timeout=30m')
  })
}

/**
 * Returns the memory of the pods' and virtual machines' processes, in bytes: private, plus their parts of
 * what they share.
 */
async function memoryOfCloud(): Promise<number> {
  let bytes = 0
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const cgroups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')
    if (!CGROUPS.test(cgroups)) continue
    const sizes = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    bytes += Number(/^Pss: +(\d+) kB$/m.exec(sizes)?.[1] ?? 0) * 1024
  }
  return bytes
}

function gibibytes(bytes: number): string {
  return (bytes / 1024 ** 3).toFixed(1)
}

/** Resolves when Keystone has issued a token to the administrator. */
async function token(run: AioRun): Promise<void> {
  const service = ['get', 'service', 'keystone-api', '--namespace', 'openstack']
  const {stdout: address} = await runAio(run, [
    ...['aio', 'shell', '--', 'kubectl', ...service],
    ...['--output', 'jsonpath={.spec.clusterIP}'],
  ])
  const user = {name: 'admin', password: 'dev-admin', domain: {name: 'Default'}}
  const body = JSON.stringify({auth: {identity: {methods: ['password'], password: {user}}}})
  while (true) {
    const answer = await fetch(`http://${address}:5000/v3/auth/tokens`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body,
    }).catch(() => undefined)
    if (answer?.status === 201) return
    await delay(200)
  }
}
