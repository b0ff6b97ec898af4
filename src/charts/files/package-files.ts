import {promisify} from 'node:util'
import {gunzip, gunzipSync} from 'node:zlib'
import {KkError} from '../../base/errors.ts'
import {type ChartFile, MAX_FILE_BYTES} from './chart-files.ts'

/** Helm's `MaxDecompressedChartSize`; the overhead of the tar format is small. */
const MAX_CHART_BYTES = 100 * 1024 * 1024

/**
 * Returns the files of a packaged chart (`.tgz`), sorted by path, without its top directory. Makes the checks
 * of Helm's `LoadArchiveFiles`, so no path leads out of the chart. `name` is for messages. Rejects with
 * `KK_CHART`.
 */
export async function readPackageFiles(bytes: Buffer, name: string): Promise<ChartFile[]> {
  const {extract} = await import('tar-stream')
  const files = new Map<string, ChartFile>()
  try {
    const archive = extract()
    archive.end(await promisify(gunzip)(bytes, {maxOutputLength: MAX_CHART_BYTES}))
    for await (const entry of archive) {
      const parts: Buffer[] = []
      for await (const part of entry) parts.push(part as Buffer)
      const content = Buffer.concat(parts)
      if (entry.header.type === 'directory' || entry.header.name.endsWith('/')) continue
      const path = pathInChart(entry.header.name)
      if (content.length > MAX_FILE_BYTES)
        throw new Error(`${path} has ${content.length} bytes, helm loads files of at most ${MAX_FILE_BYTES}`)
      files.set(path, {path, bytes: content})
    }
    refuseFilesAsDirectories(files)
  } catch (error) {
    throw new KkError('KK_CHART', `${name} is not the package of a chart: ${(error as Error).message}`, {
      cause: error,
      hint: 'make it again with helm package',
    })
  }
  return [...files.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Returns the concatenated files of a package, as in tar; empty for invalid packages, which helm refuses. */
export function unpacked(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, {maxOutputLength: MAX_CHART_BYTES})
  } catch {
    return Buffer.alloc(0)
  }
}

/**
 * Refuses a file that is also a directory of other files, such as a link to a directory, which Helm reads as
 * an empty file.
 */
function refuseFilesAsDirectories(files: ReadonlyMap<string, ChartFile>): void {
  for (const path of files.keys()) {
    const parts = path.split('/')
    const above = parts.map((_, index) => parts.slice(0, index).join('/')).find((each) => files.has(each))
    if (above !== undefined) throw new Error(`${above} is a file, and ${path} is in it`)
  }
}

/** Removes the top directory; refuses paths that lead out of it. */
function pathInChart(name: string): string {
  const [, ...parts] = name.split(name.includes('\\') ? '\\' : '/')
  const segments = parts.filter((part) => part !== '.')
  const harmless = segments.every((part) => part !== '' && part !== '..' && !part.includes('\0'))
  if (harmless && segments.length > 0 && !segments[0]!.endsWith(':')) return segments.join('/')
  throw new Error(`the path ${JSON.stringify(name)} is not in one directory`)
}
