import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, expect, it} from 'vitest'
import {done, type OwnCluster, startOwnCluster} from './support/guarded.ts'

const ROOT = join(import.meta.dirname, '../..')

let cluster: OwnCluster
beforeAll(async () => {
  cluster = await startOwnCluster()
  return cluster.end
})

/** Runs the demo without a terminal. */
async function demo(...args: readonly string[]) {
  const script = [join(ROOT, 'scripts/node.mjs'), join(ROOT, 'scripts/demo.ts')]
  const env = {KUBECONFIG: cluster.kubeconfig}
  return execa(process.execPath, [...script, ...args], {cwd: ROOT, env, stdin: 'ignore', reject: false})
}

it('plans for a cluster that is named, deploys only with images, and refuses a cluster in use', async () => {
  const context = await done(cluster.kubectl('config', 'current-context'))
  const named = ['--kubeconfig', cluster.kubeconfig, '--context', context.trim()]
  const releases = async () => {
    const names = await done(cluster.helm('helm4', 'list', '--all-namespaces', '--short'))
    return names.split('\n').filter(Boolean)
  }

  const halfNamed = await demo('--registry', 'registry.example.org/kk')
  expect(halfNamed).toMatchObject({exitCode: 2, stderr: expect.stringContaining('--context NAME')})

  const plan = await demo(...named)
  expect(plan.exitCode, plan.stderr).toBe(0)
  expect(plan.stdout).toContain('plan: 6 to install')
  expect(await releases()).toEqual([])
  // As the demo without a cluster does it.
  const split = ['values', 'split', 'environments/all-in-one.yaml', '-o', 'dist/demo']
  await done(execa(process.execPath, [join(ROOT, 'bin/kk.ts'), ...split], {cwd: ROOT}))

  const deploy = await demo(...named, '--registry', 'registry.example.org/kk')
  expect(deploy.exitCode, deploy.stderr).toBe(0)
  expect(deploy.stdout).toMatch(/horizon +1 +deployed +healthy/)
  expect(await releases()).toHaveLength(6)

  await done(cluster.kubectl('create', 'namespace', 'shop'))
  const refused = await demo(...named, '--registry', 'registry.example.org/kk')
  expect(refused).toMatchObject({exitCode: 3, stderr: expect.stringContaining('namespaces shop')})
})
