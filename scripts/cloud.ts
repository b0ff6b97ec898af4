/**
 * `sudo npm run cloud`: from a clone to a virtual machine that answers, on this machine. Each step skips what
 * already exists, so that you can run it again after an interruption. `-- --nodes 3` has three nodes, of
 * which the last is no compute node.
 */
import {join} from 'node:path'
import {parseArgs} from 'node:util'
import {execa} from 'execa'
import {buildWhenOld} from '../test/e2e/support/build.ts'
import {bringImages} from './cloud/images.ts'
import {firstInstance, type Instance} from './cloud/instance.ts'
import {ensureSystemPackages} from './system-packages.ts'

const ROOT = join(import.meta.dirname, '..')
const KK = join(ROOT, 'dist/kk')
const {nodes} = parseArgs({options: {nodes: {type: 'string', default: '1'}}}).values
const ENVIRONMENT = nodes === '1' ? 'environments/cloud.yaml' : 'environments/nodes.yaml'
/** The last of three nodes: fewer all are compute nodes. */
const NO_COMPUTE = Number(nodes) > 2 ? [`node-${nodes}`] : []

interface Step {
  readonly title: string
  /** The duration on two processors from scratch. */
  readonly takes: string
  readonly run: () => Promise<unknown>
}

let instance: Instance | undefined
const steps: readonly Step[] = [
  {title: "Debian's packages", takes: '1 minute', run: () => ensureSystemPackages(console.log, 'cloud')},
  {title: 'the programs of the node', takes: '15 minutes', run: () => script('toolbox', 'aio')},
  {title: 'kk', takes: '1 minute', run: () => buildWhenOld(console.log)},
  {title: 'the node', takes: '1 minute', run: nodesUp},
  {
    title: 'the images',
    takes: '30 minutes',
    run: async () => {
      await bringImages({kk: KK, stdio: 'inherit'})
      // Nodes that already have pods pull their images themselves.
      if (nodes !== '1') await kk('aio', 'node', 'seed').catch(() => undefined)
    },
  },
  {
    title: 'OpenStack',
    takes: '8 minutes',
    run: () => kk('deploy', ENVIRONMENT, '--sandbox-name', 'aio', '--yes'),
  },
  {
    title: 'a virtual machine',
    takes: '2 minutes',
    run: async () => {
      instance = await firstInstance({say: console.log})
    },
  },
]

async function nodesUp(): Promise<void> {
  await kk('aio', 'up', '--nodes', nodes)
  for (const node of NO_COMPUTE)
    await kk('aio', 'shell', '--', 'kubectl', 'label', 'node', node, 'openstack-compute-node-')
}

function script(name: string, ...args: readonly string[]) {
  return execa(process.execPath, [join(ROOT, 'scripts', `${name}.ts`), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  })
}

/** With the terminal, so that its own board shows the progress of each. */
function kk(...args: readonly string[]) {
  return execa(KK, args, {cwd: ROOT, stdio: 'inherit'})
}

async function main(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('expected to be root, for containers: sudo npm run cloud')
  const start = Date.now()
  for (const [index, {title, takes, run}] of steps.entries()) {
    const left = steps.slice(index + 1).map((step) => step.title)
    const then = left.length === 0 ? '' : `; then ${left.join(', ')}`
    console.log(`\n[${index + 1}/${steps.length}] ${title}, up to ${takes}${then}`)
    await run()
  }
  const minutes = ((Date.now() - start) / 60_000).toFixed(1)
  console.log(`\nThe cloud answers, after ${minutes} minutes.\n`)
  for (const [what, how] of lastWords(instance!)) console.log(`${what.padEnd(24)}${how}`)
}

function lastWords({address, key}: Instance): readonly (readonly [string, string])[] {
  return [
    ['the virtual machine', `ssh -i ${key} root@${address}`],
    ['the dashboard', 'http://10.213.0.1:30080, domain Default, user admin, password dev-admin'],
    [
      "OpenStack's client",
      'dist/kk aio shell -- kubectl exec --namespace openstack --stdin --tty cloud-client -- openstack server list',
    ],
    ["OpenStack's own tests", `dist/kk test ${ENVIRONMENT} tempest --sandbox-name aio`],
    ['the end of all of it', 'sudo dist/kk aio down'],
  ]
}

try {
  await main()
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message.split('\n')[0] : error}`)
  console.error('"sudo npm run cloud" goes on from here')
  process.exitCode = 1
}
