import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {temporaryDirectory} from '../state/files/temporary-directory.ts'
import type {ReleaseCall} from './helm.ts'

/**
 * Lets helm take a revision of a release for the last one, and for deployed, whatever the cluster has: with these variables it
 * keeps releases in its memory, reads from a file what is there, and writes nothing to the cluster (helm 3.21 and 4.2:
 * loadReleasesInMemory). Rejects with `KK_FILE`.
 */
export async function withHistory<T>(
  {name, namespace}: Pick<ReleaseCall, 'name' | 'namespace'>,
  revision: number,
  use: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const directory = await temporaryDirectory('kk-history-')
  try {
    const path = join(directory.path, 'releases.json')
    const releases = [{name, namespace, version: revision, info: {status: 'deployed'}}]
    await directory.fill(() => writeFile(path, JSON.stringify(releases)))
    return await use({HELM_DRIVER: 'memory', HELM_MEMORY_DRIVER_DATA: path})
  } finally {
    await directory.remove()
  }
}
