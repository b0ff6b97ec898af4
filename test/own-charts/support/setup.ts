import {createHash} from 'node:crypto'
import {cp, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join, relative} from 'node:path'
import type {TestProject} from 'vitest/node'
import {cacheDirectory} from '../../../src/state/directories.ts'
import {toolbox} from '../../support/tools.ts'

/** What all files of a run share. */
export interface Shared {
  /** The charts with the library vendored. Nobody writes there: see `Charts.copy`. */
  readonly charts: string
  /** What they have rendered: several files look at the same objects, and helm takes long to make them. */
  readonly rendered: string
  /** The directory of the real binaries. */
  readonly toolbox: string
}

declare module 'vitest' {
  interface ProvidedContext {
    shared: Shared
  }
}

const ROOT = join(import.meta.dirname, '../../..')
const CHARTS = join(ROOT, 'charts')
/** How many states of the charts have kept what they render. */
const KEPT = 3
/**
 * What decides what the charts render beside themselves and helm: how a test asks, and what reads the answer.
 */
const READERS = ['test/own-charts/support/charts.ts', 'package-lock.json']

/** Vendors the charts once for all files: that is two thousand files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-rendered-'))
  const tools = await toolbox()
  const rendered = process.env.KK_TEST_NIGHT ? join(directory, 'rendered') : await kept(tools)
  const shared = {charts: join(directory, 'charts'), rendered, toolbox: tools}
  await mkdir(rendered, {recursive: true})
  for (const name of await readdir(CHARTS)) await vendor(shared.charts, name)
  project.provide('shared', shared)
  return () => rm(directory, {recursive: true})
}

/**
 * The directory of what charts render, from run to run: the same templates, values and helm make the same
 * objects, as `charts.test.ts` holds. Of what other charts have rendered, the newest stays, for who goes from
 * one branch to another.
 */
async function kept(tools: string): Promise<string> {
  const home = join(cacheDirectory(process.env), 'rendered')
  const directory = join(home, await digestOfInputs(tools))
  await mkdir(directory, {recursive: true})
  await utimes(directory, new Date(), new Date())
  const names = await readdir(home)
  const states = await Promise.all(
    names.map(async (name) => ({name, usedAt: (await stat(join(home, name))).mtimeMs})),
  )
  for (const {name} of states.toSorted((a, b) => b.usedAt - a.usedAt).slice(KEPT))
    await rm(join(home, name), {recursive: true, force: true})
  return directory
}

/** Of all that decides what charts render, but for what each render is given. */
async function digestOfInputs(tools: string): Promise<string> {
  const entries = await readdir(CHARTS, {recursive: true, withFileTypes: true})
  const files = entries.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name))
  const helms = await Promise.all(['helm3', 'helm4'].map((helm) => stat(join(tools, helm))))
  const hash = createHash('sha256').update([tools, ...helms.map(({mtimeMs}) => mtimeMs)].join())
  for (const file of [...files.sort(), ...READERS.map((each) => join(ROOT, each))])
    hash.update(`\0${relative(ROOT, file)}\0`).update(await readFile(file))
  return hash.digest('hex')
}

async function vendor(directory: string, name: string): Promise<void> {
  await cp(join(CHARTS, name), join(directory, name), {recursive: true})
  if (name === 'common' || name === 'values_overrides') return
  await cp(join(CHARTS, 'common'), join(directory, name, 'charts/common'), {recursive: true})
}
