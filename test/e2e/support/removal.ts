import {join} from 'node:path'
import {expect} from 'vitest'
import {type EnvironmentContent, makeEnvironment, type TestEnvironment} from './environment.ts'
import type {TestCluster} from './guarded.ts'

/** Charts with annotations, and one with data. */
const CHARTS = join(import.meta.dirname, '../../fixtures')

/**
 * An environment on a control plane of the test's own: what cannot be read there counts for every release.
 */
export interface Removable extends TestEnvironment {
  /** `kk <verb> <file> <args>` on that control plane. */
  on(verb: string, ...args: readonly string[]): ReturnType<TestEnvironment['kk']>
  /** Its helm's calls to uninstall, oldest first. */
  uninstalls(): Promise<readonly string[]>
  /** Names of the releases that are there. */
  releases(): Promise<readonly string[]>
}

interface Secrets {
  readonly items: readonly {readonly metadata: {readonly labels: {readonly name: string}}}[]
}

interface Options {
  readonly namespace?: string
  readonly helm?: 'helm3' | 'helm4'
}

/** Deploys an environment on the cluster; charts come from the fixtures. */
export async function deployOn(
  cluster: TestCluster,
  {kk: settings, ...sections}: EnvironmentContent,
  options: Options = {},
): Promise<Removable> {
  const charts = [join(CHARTS, 'charts'), join(CHARTS, 'guarded')]
  const content = {kk: {charts, ...settings}, ...sections}
  const environment = await makeEnvironment({content, ...options})
  const namespace = options.namespace ?? environment.name
  const on: Removable['on'] = (verb, ...args) =>
    environment.kk(verb, ...args, '--sandbox-name', cluster.sandbox)
  const {exitCode, stderr} = await on('deploy')
  expect(exitCode, stderr).toBe(0)
  return {
    ...environment,
    on,
    async uninstalls() {
      const calls = await environment.helmCalls()
      return calls.filter((call) => call.startsWith('uninstall'))
    },
    async releases() {
      const words = ['secrets', '--namespace', namespace, '--selector', 'owner=helm']
      const {items} = await cluster.get<Secrets>(...words)
      return [...new Set(items.map(({metadata}) => metadata.labels.name))].sort()
    },
  }
}
