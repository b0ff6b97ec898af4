import {mkdtemp, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {dump, load} from 'js-yaml'
import {inject} from 'vitest'
import {mergeValues} from '../../../src/overrides/merge.ts'
import type {Values} from '../../../src/release.ts'
import {ROOT} from './images.ts'

/** The environment of the documentation. */
export const CLOUD = join(ROOT, 'environments/cloud.yaml')

/** The names of its releases. */
export async function releasesOf(file: string): Promise<readonly string[]> {
  const {kk: _, global: __, ...sections} = load(await readFile(file, 'utf8')) as Values
  return Object.keys(sections)
}

/** What it says for all releases. */
export async function globalOfCloud(): Promise<Values> {
  const {global} = load(await readFile(CLOUD, 'utf8')) as {readonly global: Values}
  return global
}

interface Change {
  /** The environment that is changed: that of the cloud, unless it is another. */
  readonly of?: string
  /** Merged over the environment. */
  readonly values?: Values
  /** The releases of the file, if these are not all. */
  readonly only?: readonly string[]
}

type WithSettings = Values & {readonly kk: {readonly releases?: Values}}

/** A file of that environment with a change; it goes with the run. */
export async function changedEnvironment({of = CLOUD, values = {}, only}: Change): Promise<string> {
  const directory = await mkdtemp(join(inject('aio').home, 'environment-'))
  const written = load(await readFile(of, 'utf8')) as Values
  const charts = {kk: {charts: [join(ROOT, 'charts')]}}
  const {kk, global, ...sections} = mergeValues(mergeValues(written, charts), values) as WithSettings
  const kept = (named: Values = {}) =>
    Object.fromEntries(Object.entries(named).filter(([name]) => only?.includes(name) ?? true))
  const file = join(directory, 'cloud.yaml')
  await writeFile(file, dump({kk: {...kk, releases: kept(kk.releases)}, global, ...kept(sections)}))
  return file
}
