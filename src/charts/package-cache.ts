import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {mkdtemp, readFile, rename, rm} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {makeDirectory} from '../state/files/make-directory.ts'
import {withWritableDirectory} from '../state/files/writing-below.ts'
import {type ChartFile, writeChartFiles} from './files/chart-files.ts'
import {readPackageFiles} from './files/package-files.ts'

/** An unpacked package and the SHA-256 (hex) of the package. */
export interface UnpackedPackage {
  readonly directory: string
  readonly digest: string
}

/**
 * Unpacks a package (`.tgz`) into `<cache>/<sha256>`, unless it exists already. Several processes may do so
 * concurrently. Rejects with `KK_CHART` for an invalid package, with `KK_FILE` if the cache cannot be
 * written.
 */
export async function unpackPackage(file: string, cache: string): Promise<UnpackedPackage> {
  const bytes = await readFile(file)
  const digest = createHash('sha256').update(bytes).digest('hex')
  const directory = join(cache, digest)
  if (existsSync(directory)) return {directory, digest}

  const files = await readPackageFiles(bytes, file)
  await withWritableDirectory({directory: cache, variable: 'XDG_CACHE_HOME'}, () => keep(files, directory))
  return {directory, digest}
}

async function keep(files: readonly ChartFile[], directory: string): Promise<void> {
  await makeDirectory(dirname(directory), {mode: 0o700})
  const draft = await mkdtemp(`${directory}.`)
  try {
    await writeChartFiles(files, draft)
    await rename(draft, directory)
  } catch (error) {
    await rm(draft, {recursive: true, force: true})
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

/** Returns the package of this digest, if it was unpacked before. */
export function cachedPackage(digest: string, cache: string): UnpackedPackage | undefined {
  const directory = join(cache, digest)
  return existsSync(directory) ? {directory, digest} : undefined
}
