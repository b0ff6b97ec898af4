import {mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, inject, it, onTestFinished} from 'vitest'
import type {Cluster} from '../../src/kubernetes/cluster.ts'
import {openCluster} from '../../src/kubernetes/open.ts'
import {testDirectory} from '../support/test-directory.ts'
import {kubectl} from './support/cluster.ts'
import {kk} from './support/kk.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/charts')
const COUNTING = `#!/usr/bin/env node
const {call, facts} = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
const described = {chart: 'workload', reads: ['controllers']}
console.log(JSON.stringify(call === 'describe' ? described : {values: {replicas: facts.controllers}}))
`

let cluster: Cluster
let directory: string
beforeAll(async () => {
  cluster = await openCluster({kubeconfig: inject('run').kubeconfig, env: {}})
  directory = testDirectory()
})
afterAll(async () => {
  await cluster.close()
})

describe('the facts of a cluster', () => {
  it('are derived from its nodes, storage classes and configuration', async () => {
    const name = `kk-facts-${process.pid}`
    const map = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'kubelet-config', namespace: 'kube-system'},
    }
    await kubectl(['apply', '-f', '-'], {input: {...map, data: {kubelet: 'clusterDomain: k8s.test'}}})
    onTestFinished(() =>
      kubectl(['delete', 'configmap', 'kubelet-config', '-n', 'kube-system']).then(() => {}),
    )
    const environment = join(directory, `${name}.yaml`)
    await writeFile(environment, 'global: {region: north}\nmariadb: {}\n')

    const {stdout} = await kk(['facts', environment, '--output', 'json'])

    const {version} = await cluster.apiServer.identity()
    expect(JSON.parse(stdout)).toMatchObject({
      facts: {
        controllers: expect.any(Number),
        computes: expect.any(Number),
        kubernetesVersion: version,
        defaultStorageClass: expect.any(String),
        dnsDomain: 'k8s.test',
        region: 'north',
      },
      sources: {controllers: 'cluster', dnsDomain: 'cluster', region: 'environment'},
    })
  })

  it('determine the system overrides of a plan, unless a file states facts', async () => {
    const plugins = join(directory, 'plugins')
    await mkdir(plugins)
    await writeFile(join(plugins, 'workload'), COUNTING, {mode: 0o755})
    const name = `kk-facts-plan-${process.pid}`
    const environment = join(directory, `${name}.yaml`)
    const settings = {name, namespace: name, charts: [FIXTURES], releases: {api: {chart: 'workload'}}}
    await writeFile(environment, JSON.stringify({kk: settings, api: {}}))
    const facts = join(directory, 'seven.yaml')
    await writeFile(facts, 'controllers: 7\n')
    const show = async (...more: string[]) =>
      (await kk(['values', 'show', 'api', '-e', environment, '--plugins', plugins, ...more])).stdout
    const planned = async (...more: string[]) =>
      (await kk(['plan', environment, '--plugins', plugins, '--diff', ...more])).stdout
    const {nodes = []} = await cluster.inventory.read('nodes')
    const controllers = nodes.filter(({labels}) => labels['openstack-control-plane'] === 'enabled').length

    expect(await show('--context', inject('run').context)).toBe(`replicas: ${controllers}`)
    expect(await show('--facts', facts)).toBe('replicas: 7')
    expect(await show()).toBe('{}')
    expect(await planned()).toContain(`replicas: ${controllers}\n`)
    expect(await planned('--facts', facts)).toContain('replicas: 7\n')
  })

  it('determine the system overrides in kk overrides if the command line names a cluster', async () => {
    const {nodes = []} = await cluster.inventory.read('nodes')
    const controllers = nodes.filter(({labels}) => labels['openstack-control-plane'] === 'enabled').length
    const name = `kk-facts-overrides-${process.pid}`
    const environment = join(directory, `${name}.yaml`)
    await writeFile(environment, JSON.stringify({kk: {name, namespace: 'openstack'}, memcached: {}}))
    const facts = join(directory, 'charts.yaml')
    await writeFile(facts, 'charts: {memcached: [openstack]}\n')
    const show = (...more: string[]) =>
      kk(['overrides', 'show', 'memcached', 'openstack', '--output', 'json', ...more], {
        env: {KK_STORE: join(directory, 'store.sqlite')},
      })
    const named = ['--context', inject('run').context]

    for (const base of [
      ['-e', environment],
      ['--facts', facts],
    ]) {
      const {stdout} = await show(...base, ...named)
      expect(JSON.parse(stdout).system_overrides).toContain(`server: ${controllers}`)
      const unnamed = await show(...base)
      expect(JSON.parse(unnamed.stdout).system_overrides).not.toContain('server:')
      expect(unnamed.stderr.includes('generated without')).toBe(base[0] === '-e')
    }
    const {exitCode, stderr} = await show('-e', environment, '--kubeconfig', join(directory, 'nowhere'))
    expect({exitCode, stderr}).toMatchObject({exitCode: 2, stderr: expect.stringContaining('nowhere')})
  })

  it('are not requested if a file states facts and no cluster is named', async () => {
    const facts = join(directory, 'facts.yaml')
    await writeFile(facts, 'controllers: 3\n')

    const {stdout, exitCode} = await kk(['facts', '--facts', facts, '--output', 'json'], {
      env: {KUBECONFIG: join(directory, 'nowhere')},
      cwd: directory,
    })

    expect({exitCode, known: JSON.parse(stdout)}).toEqual({
      exitCode: 0,
      known: {facts: {controllers: 3}, sources: {controllers: facts}},
    })
  })
})
