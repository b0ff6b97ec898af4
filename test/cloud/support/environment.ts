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

/** A file of that environment with these sections alone. */
export async function partOfCloud(...sections: readonly string[]): Promise<string> {
  const others = (await releasesOf(CLOUD)).filter((name) => !sections.includes(name))
  return changedEnvironment({without: others})
}

interface Change {
  /** Merged over the environment. */
  readonly values?: Values
  /** Sections that are not in the file. */
  readonly without?: readonly string[]
}

type WithSettings = Values & {readonly kk: {readonly releases?: Values}}

/** A file of that environment with a change; it goes with the run. */
export async function changedEnvironment({values = {}, without = []}: Change): Promise<string> {
  const directory = await mkdtemp(join(inject('aio').home, 'environment-'))
  const written = load(await readFile(CLOUD, 'utf8')) as Values
  const charts = {kk: {charts: [join(ROOT, 'charts')]}}
  const {kk, ...sections} = mergeValues(mergeValues(written, charts), values) as WithSettings
  const kept = (named: Values = {}) =>
    Object.fromEntries(Object.entries(named).filter(([name]) => !without.includes(name)))
  const file = join(directory, 'cloud.yaml')
  await writeFile(file, dump({kk: {...kk, releases: kept(kk.releases)}, ...kept(sections)}))
  return file
}
