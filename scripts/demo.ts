/**
 * `npm run demo`: shows the graph and the split of the all-in-one environment while the programs of the
 * throwaway cluster are downloaded and kk is built, deploys the environment to that cluster and prints its
 * status. What cannot be downloaded is compiled; with `--build`, everything is. With `--kubeconfig FILE
 * --context NAME` it plans the environment for that cluster, and deploys it only with `--registry`.
 */
import {mkdirSync, writeFileSync} from 'node:fs'
import {join, resolve} from 'node:path'
import {parseArgs} from 'node:util'
import {execa} from 'execa'
import {asKkError} from '../src/base/errors.ts'
import {provideTools} from '../src/sandbox/programs/provide.ts'
import {clusterEnvironment, type DemoCluster, readObstacles} from './demo/cluster.ts'
import {isArchived} from './toolbox.ts'

const ROOT = join(import.meta.dirname, '..')
const SOURCES = join(ROOT, 'bin/kk.ts')
const KK = join(ROOT, 'dist/kk')
const ENVIRONMENT = 'environments/all-in-one.yaml'

/** Runs a command; ends the demo with its exit code if it fails. */
async function run(
  [command, ...args]: readonly [string, ...string[]],
  stdout: 'inherit' | 'ignore' = 'inherit',
) {
  const {exitCode} = await execa(command, args, {
    cwd: ROOT,
    stdio: ['inherit', stdout, 'inherit'],
    reject: false,
  })
  if (exitCode !== 0) process.exit(exitCode ?? 1)
}

async function providePrograms(build: boolean): Promise<void> {
  const compile = () => run([process.execPath, join(ROOT, 'scripts/toolbox.ts')], 'ignore')
  if (build || (await isArchived(process.env))) return compile()
  try {
    await provideTools({env: process.env, onProgress: console.log, instead: compile})
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    console.error(`${code}: ${message}\nhint: ${hint}; or compile them: npm run demo -- --build`)
    process.exit(2)
  }
}

/**
 * Plans the environment for a cluster that the user named, and deploys it if images are named, too. Changes
 * nothing in a cluster with anything in it; `kk deploy` asks on a terminal.
 */
async function runOnCluster(cluster: DemoCluster, registry: string | undefined): Promise<void> {
  const found = await readObstacles(cluster).catch((error: unknown) => {
    const {code, message, hint} = asKkError(error)
    console.error(`${code}: ${message}\nhint: ${hint}`)
    process.exit(2)
  })
  if (found.length > 0) {
    console.error(
      [`the demo does not use the cluster of context "${cluster.context}"`, ...found].join('\n  '),
    )
    process.exit(3)
  }
  // Not in dist/demo, which holds nothing but what `kk values split` writes.
  const file = join(ROOT, 'dist/demo-cluster.yaml')
  mkdirSync(join(ROOT, 'dist'), {recursive: true})
  writeFileSync(file, clusterEnvironment('../environments/all-in-one.yaml', cluster, registry))
  const kk = (verb: string) =>
    run([process.execPath, SOURCES, verb, file, '--kubeconfig', cluster.kubeconfig])
  if (registry === undefined) {
    await kk('plan')
    console.log('\nnothing was changed; to deploy this, name the images: --registry REGISTRY, or upstream')
    return
  }
  await kk('deploy')
  await kk('status')
  console.log(`\nto remove it: kk destroy ${file} --kubeconfig ${cluster.kubeconfig}`)
}

const {build, kubeconfig, context, registry} = parseArgs({
  options: {
    build: {type: 'boolean', default: false},
    kubeconfig: {type: 'string'},
    context: {type: 'string'},
    registry: {type: 'string'},
  },
}).values
if (kubeconfig !== undefined && context !== undefined) {
  await runOnCluster({kubeconfig: resolve(kubeconfig), context}, registry)
  process.exit()
}
if (kubeconfig !== undefined || context !== undefined || registry !== undefined) {
  console.error('name both the cluster and its context: --kubeconfig FILE --context NAME')
  process.exit(2)
}
const programs = providePrograms(build)

console.log(`\n$ kk graph ${ENVIRONMENT}`)
await run([process.execPath, SOURCES, 'graph', ENVIRONMENT])
console.log(`\n$ kk values split ${ENVIRONMENT} -o dist/demo`)
await run([process.execPath, SOURCES, 'values', 'split', ENVIRONMENT, '-o', 'dist/demo'])
console.log('\nbuilding dist/kk, and preparing a throwaway cluster to deploy this to')
await Promise.all([run([process.execPath, join(ROOT, 'scripts/build.ts')], 'ignore'), programs])
await run([KK, 'deploy', ENVIRONMENT, '--sandbox', '--yes'])
await run([KK, 'status', ENVIRONMENT, '--sandbox'])
console.log('\nkk is dist/kk; take the cluster away with: dist/kk sandbox down')
