import {writeFileSync} from 'node:fs'
import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {suggest} from '../base/suggest.ts'
import type {EnvironmentDocument} from '../environment/read.ts'
import {splitEnvironment} from '../environment/split.ts'
import {type OwnedFiles, writeOwnedFiles} from '../state/files/owned-files.ts'

/**
 * Returns each section's values file by its name; only those of `releases`, unless it is empty. Throws
 * `KK_UNKNOWN_RELEASE`.
 */
export function splitFiles(
  document: EnvironmentDocument,
  releases: readonly string[],
): ReadonlyMap<string, string> {
  const files = splitEnvironment(document)
  if (releases.length === 0) return files
  for (const release of releases)
    if (!files.has(release)) throw unknownRelease(document.source.file, release, files.keys())
  return new Map([...files].filter(([name]) => releases.includes(name)))
}

function unknownRelease(file: string, release: string, sections: Iterable<string>): KkError {
  const names = [...sections]
  const close = suggest(release, names)
  const hint = close === undefined ? `its sections: ${names.join(', ') || 'none'}` : `did you mean ${close}?`
  return new KkError('KK_UNKNOWN_RELEASE', `${file} has no section "${release}"`, {hint})
}

export interface WrittenSplit {
  readonly directory: string
  /** Paths of the files that were written, in the order of the sections. */
  readonly paths: readonly string[]
}

/**
 * The file that names the files of earlier splits, one per line: other files in the directory do not belong
 * to kk.
 */
const MARKER = '.kk-split'

/**
 * Writes values files into a directory, by default a fresh `helmXXXXXX` under the temp folder that only the
 * user can read. All files are complete before the first one takes its place. A full split removes the other
 * files of earlier splits. Rejects with `KK_DIRECTORY_IN_USE` if the directory holds files that no split
 * wrote, `KK_FILE` if it cannot be written.
 */
export async function writeSplit(
  files: ReadonlyMap<string, string>,
  {directory, partial}: {directory: string | undefined; partial: boolean},
): Promise<WrittenSplit> {
  const owned = privateFiles(files)
  try {
    if (directory !== undefined) {
      await writeOwnedFiles(directory, owned, {marker: MARKER, partial})
      return {directory, paths: pathsIn(directory, owned)}
    }
    const fresh = await freshDirectory(owned)
    return {directory: fresh, paths: pathsIn(fresh, owned)}
  } catch (error) {
    if (error instanceof KkError) throw error
    const {message} = error as Error
    throw new KkError('KK_FILE', `the values files cannot be written: ${message}`, {
      hint: 'choose another -o',
      cause: error,
    })
  }
}

/** Returns values files that only the user can read, because values contain passwords. */
function privateFiles(files: ReadonlyMap<string, string>): OwnedFiles {
  return new Map([...files].map(([name, content]) => [`${name}.yaml`, {content, mode: 0o600}]))
}

/** Writes files into a new directory, which contains only these. */
async function freshDirectory(files: OwnedFiles): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'helm'))
  try {
    for (const [path, {content, mode}] of files) writeFileSync(join(directory, path), content, {mode})
  } catch (error) {
    await rm(directory, {recursive: true, force: true})
    throw error
  }
  return directory
}

function pathsIn(directory: string, files: OwnedFiles): string[] {
  return [...files.keys()].map((path) => join(directory, path))
}
