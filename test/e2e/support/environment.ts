import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect} from 'vitest'
import {type Corner, emptyCorner} from './corner.ts'
import {recordedHelm} from './recorded-helm.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** kk's own charts. */
export const CHARTS = join(ROOT, 'charts')
/** `workload`: a chart whose pods behave as its values say. */
export const FIXTURES = join(ROOT, 'test/fixtures/charts')

/** The content of an environment file, as a test writes it. */
export interface EnvironmentContent {
  readonly kk?: {readonly releases?: object; readonly [setting: string]: unknown}
  readonly [section: string]: unknown
}

/** A corner whose one file is written as an object; name and namespace go with it. */
export interface TestEnvironment extends Pick<Corner, 'name' | 'directory'> {
  readonly file: string
  /** The helm that is given to kk by `KK_HELM`. */
  readonly helm: string
  /**
   * Writes the file. Name and namespace are the test's own, and charts come from the fixtures, unless it says
   * otherwise.
   */
  write(content: EnvironmentContent): Promise<void>
  /** `kk <words of the verb> <file> <args>`; resolves whatever the exit code is. */
  kk(verb: string, ...args: readonly string[]): ReturnType<Corner['kk']>
  /** The same with `--output json`, parsed; fails the test unless the exit code is 0. */
  json<T>(verb: string, ...args: readonly string[]): Promise<T>
  /** `kk deploy`, which must succeed. */
  deploy(): Promise<void>
  /** The arguments of every helm that was started for this environment, oldest first. */
  helmCalls(): Promise<readonly string[]>
}

export interface EnvironmentOptions {
  readonly content?: EnvironmentContent
  readonly namespace?: string
  readonly helm?: 'helm3' | 'helm4'
}

/** An environment of a test's own; its directory goes with the run. */
export async function makeEnvironment(options: EnvironmentOptions = {}): Promise<TestEnvironment> {
  const corner = await emptyCorner('env')
  const {name, directory} = corner
  const {content, namespace = name, helm = 'helm4'} = options
  const {path, calls} = await recordedHelm(directory, helm)
  const file = join(directory, `${name}.yaml`)
  const environment: TestEnvironment = {
    name,
    directory,
    file,
    helm: path,
    async write({kk: settings, ...sections}) {
      const own = {name, namespace, charts: [FIXTURES], ...settings}
      await writeFile(file, JSON.stringify({kk: own, ...sections}))
    },
    kk(verb, ...args) {
      const words = [...verb.split(' '), file, ...args]
      return corner.kk(words, {env: {KK_HELM: path}})
    },
    async json(verb, ...args) {
      const {exitCode, stdout, stderr} = await environment.kk(verb, ...args, '--output', 'json')
      expect(exitCode, stderr).toBe(0)
      return JSON.parse(stdout)
    },
    async deploy() {
      const {exitCode, stderr} = await environment.kk('deploy')
      expect(exitCode, stderr).toBe(0)
    },
    helmCalls: calls,
  }
  if (content) await environment.write(content)
  return environment
}

/** Releases of the chart `workload` by name: sections and the settings that say so. */
export function workloads(
  releases: Readonly<Record<string, {readonly requires?: readonly string[]; readonly values?: object}>>,
): EnvironmentContent {
  const entries = Object.entries(releases)
  const settings = entries.map(([name, {requires = []}]) => [name, {chart: 'workload', requires}])
  const sections = entries.map(([name, {values = {}}]) => [name, values])
  return {kk: {releases: Object.fromEntries(settings)}, ...Object.fromEntries(sections)}
}

/** `environments/all-in-one.yaml`: the six charts. */
export async function allInOne(charts = CHARTS): Promise<EnvironmentContent> {
  const {kk: _, ...sections} = load(
    await readFile(join(ROOT, 'environments/all-in-one.yaml'), 'utf8'),
  ) as EnvironmentContent
  return {...sections, kk: {charts: [charts]}}
}

/** An environment with only these of its sections. */
export function only(content: EnvironmentContent, ...names: readonly string[]): EnvironmentContent {
  return Object.fromEntries(
    Object.entries(content).filter(([name]) => ['kk', 'global', ...names].includes(name)),
  )
}
