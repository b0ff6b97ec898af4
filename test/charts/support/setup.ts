import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type {TestProject} from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of what the charts render, for all files of a run. */
    rendered: string
  }
}

/** Makes room for what the charts render: several files look at the same objects, and helm takes long to make them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-rendered-'))
  project.provide('rendered', directory)
  return () => rm(directory, {recursive: true})
}
