import {randomUUID} from 'node:crypto'
import {rm, stat, writeFile} from 'node:fs/promises'
import {dirname, join, resolve} from 'node:path'
import {KkError} from '../../errors.ts'
import type {ReportRequest} from './request.ts'

/**
 * Finds out before a run whether its reports could be written after it. Missing directories are no hindrance: they are
 * made with the report. Rejects with `KK_USAGE`.
 */
export async function expectWritable(requests: readonly ReportRequest[]): Promise<void> {
  for (const {kind, file} of requests) {
    const path = resolve(file)
    if (await isDirectory(path)) throw unwritable(kind, file, `${path} is a directory`)
    const directory = await nearestExisting(dirname(path))
    if (!(await isDirectory(directory))) throw unwritable(kind, file, `${directory} is not a directory`)
    await tryToWrite(directory).catch(() => {
      throw unwritable(kind, file, `the directory ${directory} is not writable`)
    })
  }
}

async function nearestExisting(directory: string): Promise<string> {
  const exists = await stat(directory).then(
    () => true,
    () => false,
  )
  const parent = dirname(directory)
  return exists || parent === directory ? directory : nearestExisting(parent)
}

/** Root may write everywhere by permissions, but not on a file system that is read-only. */
async function tryToWrite(directory: string): Promise<void> {
  const probe = join(directory, `.kk-report.${randomUUID()}`)
  await writeFile(probe, '', {flag: 'wx'})
  await rm(probe)
}

async function isDirectory(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined)
  return found?.isDirectory() ?? false
}

function unwritable(kind: string, file: string, why: string): KkError {
  return new KkError('KK_USAGE', `the ${kind} report cannot be written to ${file}: ${why}`, {
    hint: 'name a file in a directory that you may write to',
  })
}
