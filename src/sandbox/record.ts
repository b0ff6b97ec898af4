import {readFile, rm, writeFile} from 'node:fs/promises'
import {exists} from '../state/files/exists.ts'
import {writeAtomically} from '../state/files/write-atomically.ts'
import type {SandboxPaths} from './paths.ts'
import type {Sandbox} from './sandbox.ts'

/**
 * A sandbox's record. `lost` is the reason why a sandbox that was up, as its data shows, has no usable
 * record.
 */
type SandboxRecord = {readonly sandbox: Sandbox} | {readonly lost: string}

/** Returns the record that `up` writes last; undefined if no `up` completed. */
export async function readRecord(paths: SandboxPaths): Promise<SandboxRecord | undefined> {
  const record = await readOnce(paths)
  if (record !== undefined || !(await holdsData(paths))) return record
  // The record may have been written between the two reads.
  return (await readOnce(paths)) ?? {lost: `${paths.record} is missing`}
}

/** Marks the sandbox as partly started or partly removed. */
export async function markUnfinished(paths: SandboxPaths): Promise<void> {
  await writeFile(paths.unfinished, '')
  await rm(paths.record, {force: true})
}

export async function writeRecord(paths: SandboxPaths, sandbox: Sandbox): Promise<void> {
  await writeAtomically(paths.record, `${JSON.stringify(sandbox, undefined, 2)}\n`)
  await rm(paths.unfinished, {force: true})
}

async function readOnce(paths: SandboxPaths): Promise<SandboxRecord | undefined> {
  let text: string
  try {
    text = await readFile(paths.record, 'utf8')
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? undefined : {lost: `${paths.record} cannot be read (${code})`}
  }
  const sandbox = parsed(text)
  return sandbox ? {sandbox} : {lost: `${paths.record} is ${text.trim() === '' ? 'empty' : 'damaged'}`}
}

const KEYS = ['name', 'kubeconfig', 'context', 'server'] as const

function parsed(text: string): Sandbox | undefined {
  try {
    const value = JSON.parse(text) as Partial<Sandbox> | null
    return KEYS.every((key) => typeof value?.[key] === 'string') ? (value as Sandbox) : undefined
  } catch {
    return undefined
  }
}

/** Returns true if etcd has written data and its start was completed. */
async function holdsData(paths: SandboxPaths): Promise<boolean> {
  const [hasData, isUnfinished] = await Promise.all([paths.data, paths.unfinished].map(exists))
  return hasData! && !isUnfinished!
}
