import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {dump, load} from 'js-yaml'
import {mergeValues} from '../../../src/base/merge.ts'
import type {Values} from '../../../src/base/values.ts'
import {testDirectory} from '../../support/test-directory.ts'
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
  /** Whose charts: those of the sources, or those that kk brings itself. */
  readonly charts?: 'sources' | 'own'
  /** The releases of the file, if these are not all. */
  readonly only?: readonly string[]
}

type WithSettings = Values & {readonly kk: {readonly charts?: unknown; readonly releases?: Values}}

/** A file of that environment with a change; the end of the run deletes it. */
export async function changedEnvironment({
  of = CLOUD,
  values = {},
  charts = 'sources',
  only,
}: Change): Promise<string> {
  const directory = testDirectory()
  const written = load(await readFile(of, 'utf8')) as Values
  const {kk, global, ...sections} = mergeValues(written, values) as WithSettings
  const kept = (named: Values = {}) =>
    Object.fromEntries(Object.entries(named).filter(([name]) => only?.includes(name) ?? true))
  const file = join(directory, 'cloud.yaml')
  const {charts: _, ...settings} = {...kk, releases: kept(kk.releases)}
  const found = charts === 'sources' && {charts: [join(ROOT, 'charts')]}
  await writeFile(file, dump({kk: {...settings, ...found}, global, ...kept(sections)}))
  return file
}
