import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {bringImages} from '../scripts/cloud/images.ts'
import {firstInstance} from '../scripts/cloud/instance.ts'
import {prepareAio} from '../test/aio/support/prepare-aio.ts'
import {aioEnvironment, runAio} from '../test/aio/support/run-aio.ts'
import {type Bench, type Result, seconds} from './result.ts'

const ROOT = join(import.meta.dirname, '..')
const ENVIRONMENT = join(ROOT, 'environments/cloud.yaml')
const ON_NODE = ['--sandbox-name', 'aio']
const TOKEN_SECONDS = 180
const PING_MINUTES = 10
const MOST_BYTES = 12 * 1024 ** 3
/** What the cloud's pods and virtual machines run in. */
const CGROUPS = /\/(kubepods|machine|kk-libvirt)/

/** The all-in-one cloud with real pods, phase by phase. Needs root, and no node that runs. */
export async function measureAio({kk, toolbox, directory, signal}: Bench): Promise<Result[]> {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  const run = await prepareAio({kk, toolbox, home: join(directory, 'aio'), say})
  // Images are built by whoever measures, before and not here.
  const caches = {HOME: process.env['HOME'] ?? '/root'}
  const timed = async (work: () => Promise<unknown>) => {
    signal.throwIfAborted()
    const start = performance.now()
    await work()
    return performance.now() - start
  }
  const phase = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    timed(async () => {
      const {exitCode, stdout, stderr} = await runAio(run, args, env)
      if (exitCode !== 0) throw new Error(`kk ${args.join(' ')} failed:\n${stdout}\n${stderr}`)
    })
  await phase(['images', 'build'], caches)
  const up = await phase(['aio', 'up'])
  try {
    const pushed = await timed(() => bringImages({kk, stdio: ['ignore', 'pipe', 'pipe']}))
    const deploy = () =>
      timed(async () => {
        await phase(['deploy', ENVIRONMENT, '--yes', ...ON_NODE])
        await token(run)
      })
    const cold = await deploy()
    const instance = await timed(() => firstInstance({say, env: {...aioEnvironment(run), ...caches}}))
    const ping = up + pushed + cold + instance
    const bytes = await memoryOfCloud()
    const nothing = await phase(['deploy', ENVIRONMENT, '--yes', ...ON_NODE])
    const confirmed = ['cloud', 'ceph', 'mariadb', 'rabbitmq'].flatMap((name) => ['--confirm', name])
    const gone = await phase(['destroy', ENVIRONMENT, '--yes', ...confirmed, ...ON_NODE])
    const warm = await deploy()
    return [
      {what: 'kk aio up', value: seconds(up), target: {text: '< 60 s', met: up < 60_000}},
      {what: '  images pushed into its empty registry', value: seconds(pushed)},
      {what: '  environments/cloud.yaml deployed, to a token', value: seconds(cold)},
      {
        what: '  the same with the images on the node',
        value: seconds(warm),
        target: {text: `< ${TOKEN_SECONDS} s`, met: warm < TOKEN_SECONDS * 1000},
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
  } finally {
    await runAio(run, ['aio', 'down'])
  }
}

/** Returns the bytes that the processes of pods and virtual machines have for themselves, and their parts of what they share. */
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

/** Resolves when Keystone has given a token to the administrator. */
async function token(run: Parameters<typeof runAio>[0]): Promise<void> {
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
