import {readFile} from 'node:fs/promises'
import {writeAtomically} from '../state/files/write-atomically.ts'
import type {SandboxPaths} from './paths.ts'
import type {Sandbox} from './sandbox.ts'

/** What `up` wrote when it was done, or undefined. */
export async function readRecord(paths: SandboxPaths): Promise<Sandbox | undefined> {
  try {
    return JSON.parse(await readFile(paths.record, 'utf8')) as Sandbox
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

export async function writeRecord(paths: SandboxPaths, sandbox: Sandbox): Promise<void> {
  await writeAtomically(paths.record, `${JSON.stringify(sandbox, undefined, 2)}\n`)
}
