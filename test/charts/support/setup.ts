import {cp, mkdir, mkdtemp, readdir, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {TestProject} from 'vitest/node'
import {toolbox} from '../../support/tools.ts'

/** What all files of a run share. */
export interface Shared {
  /** The charts with the library vendored. Nobody writes there: see `Charts.copy`. */
  readonly charts: string
  /** What they render: several files look at the same objects, and helm takes long to make them. */
  readonly rendered: string
  /** The directory of the real binaries. */
  readonly toolbox: string
}

declare module 'vitest' {
  interface ProvidedContext {
    shared: Shared
  }
}

const CHARTS = join(import.meta.dirname, '../../../charts')

/** Vendors the charts once for all files: that is two thousand files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-rendered-'))
  const shared = {
    charts: join(directory, 'charts'),
    rendered: join(directory, 'rendered'),
    toolbox: await toolbox(),
  }
  await mkdir(shared.rendered)
  for (const name of await readdir(CHARTS)) await vendor(shared.charts, name)
  project.provide('shared', shared)
  return () => rm(directory, {recursive: true})
}

async function vendor(directory: string, name: string): Promise<void> {
  await cp(join(CHARTS, name), join(directory, name), {recursive: true})
  if (name === 'common' || name === 'values_overrides') return
  await cp(join(CHARTS, 'common'), join(directory, name, 'charts/common'), {recursive: true})
}
