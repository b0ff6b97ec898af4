import {join} from 'node:path'
import {inject, onTestFinished} from 'vitest'
import {uniqueName} from './cluster.ts'
import {kk} from './kk.ts'
import {processesBelow} from './sandbox-processes.ts'

/** The name of a sandbox that is removed after the test. */
export function newName(): string {
  const name = uniqueName(inject('run').sandbox)
  onTestFinished(async () => void (await sandbox('down', name)))
  return name
}

export function sandbox(verb: 'up' | 'down' | 'status', name: string, ...flags: string[]) {
  return kk(['sandbox', verb, '--sandbox-name', name, ...flags])
}

/** The directory of a sandbox. */
export function home(name: string): string {
  return join(inject('run').state, 'kk/sandboxes', name)
}

/** Whether a sandbox has a process of this program. */
export async function runs(name: string, program: string): Promise<boolean> {
  const processes = await processesBelow(home(name))
  return processes.some(({commandLine}) => commandLine.split('\0')[0]?.endsWith(`/${program}`))
}
