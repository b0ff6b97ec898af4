import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {Cluster} from '../cluster/cluster.ts'
import {readDocuments} from '../exchange/documents.ts'
import {type Driver, driversAmong, expectSameDrivers} from '../exchange/drivers.ts'
import type {Format} from '../exchange/lost.ts'
import {readYamlDocuments} from '../helm/yaml.ts'
import {isMap} from '../release.ts'
import type {OwnedFiles} from '../state/files/owned-files.ts'
import {presentDrivers} from './observation/present-drivers.ts'

/** The file that names those of an export. */
export const EXPORT_MARKER = '.kk-export'

/** The objects by which the tool of a format installs releases; for the others kk or a person runs it. */
const KINDS: Partial<Readonly<Record<Format, Driver['kind']>>> = {flux: 'HelmRelease', argocd: 'Application'}

interface ExpectDriversOptions {
  readonly format: Format
  /** The directory of the export, with what an earlier one has left there. */
  readonly directory: string
  /** Undefined if none was named. */
  readonly cluster: Cluster | undefined
  readonly note: (text: string) => void
}

/**
 * Rejects with `KK_EXPORT` if the objects of an export would take those of the cluster, or of the earlier export in the
 * directory, from their releases: tools for GitOps then uninstall these.
 */
export async function expectDrivers(
  files: OwnedFiles,
  {format, directory, cluster, note}: ExpectDriversOptions,
): Promise<void> {
  const kind = KINDS[format]
  if (kind === undefined) return
  const texts = [...files].filter(([path]) => path.endsWith('.yaml')).map(([, {content}]) => String(content))
  const exported = driversAmong(texts.flatMap((text) => readYamlDocuments(text)).filter(isMap))
  if (cluster) {
    const {drivers, note: unknown} = await presentDrivers(cluster, kind)
    if (unknown !== undefined) note(unknown)
    expectSameDrivers(exported, drivers, {where: cluster.context, again: 'export again'})
  }
  if (!existsSync(join(directory, EXPORT_MARKER))) return
  const earlier = driversAmong((await readDocuments(directory)).map(({value}) => value))
  expectSameDrivers(exported, earlier, {where: directory, again: 'export into an empty directory'})
}
