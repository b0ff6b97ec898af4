import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {isMap} from '../base/values.ts'
import {readDocuments} from '../exchange/documents.ts'
import {type Driver, driversAmong, expectSameDrivers} from '../exchange/drivers.ts'
import {partName, type Separator, separatorOf} from '../exchange/exported.ts'
import type {Format} from '../exchange/lost.ts'
import type {ApiServer} from '../kubernetes/api/api-server.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {releaseName} from '../release.ts'
import type {OwnedFiles} from '../state/files/owned-files.ts'
import {readYamlDocuments} from '../yaml/yaml.ts'
import {presentDrivers} from './observation/present-drivers.ts'

/** The file in an export directory that lists the exported files. */
export const EXPORT_MARKER = '.kk-export'

/**
 * The kind of object with which the tool of a format installs releases; other formats are run by kk or a
 * user.
 */
const KINDS: Partial<Readonly<Record<Format, Driver['kind']>>> = {flux: 'HelmRelease', argocd: 'Application'}

interface SeenOptions {
  readonly format: Format
  /** The directory of the export, possibly with an earlier export. */
  readonly directory: string
  /** Undefined if none was named. */
  readonly cluster:
    | {readonly objects: Objects; readonly apiServer: ApiServer; readonly context: string}
    | undefined
  readonly note: (text: string) => void
}

/** Objects that install releases, their location, and the command after they have released them. */
interface SeenDrivers {
  readonly drivers: readonly Driver[]
  readonly where: string
  readonly retryCommand: string
}

/** Returns the objects that install releases on the cluster, and in the earlier export in the directory. */
export async function seenDrivers({
  format,
  directory,
  cluster,
  note,
}: SeenOptions): Promise<readonly SeenDrivers[]> {
  const kind = KINDS[format]
  if (kind === undefined) return []
  const seen: SeenDrivers[] = []
  if (cluster) {
    const {drivers, note: unknown} = await presentDrivers(cluster, kind)
    if (unknown !== undefined) note(unknown)
    seen.push({drivers, where: cluster.context, retryCommand: 'export again'})
  }
  if (existsSync(join(directory, EXPORT_MARKER))) {
    const drivers = driversAmong((await readDocuments(directory)).map(({value}) => value))
    seen.push({drivers, where: directory, retryCommand: 'export into an empty directory'})
  }
  return seen
}

interface ExportedEnvironment {
  readonly environment: string
  /** The names of its releases. */
  readonly releases: readonly string[]
  readonly format: Format
  readonly note: (text: string) => void
}

/**
 * Returns the separator between the name of the environment and the rest in names of objects. An earlier
 * export that uses a dash keeps it, because a GitOps tool would uninstall the releases of renamed objects.
 */
export function separatorFor(
  {environment, releases, format, note}: ExportedEnvironment,
  seen: readonly SeenDrivers[],
): Separator {
  const separator = separatorOf(environment)
  if (separator === '-' || KINDS[format] === undefined) return separator
  const drivers = seen.flatMap((each) => each.drivers).filter(({isSuspended}) => !isSuspended)
  const namedWith = (other: Separator) =>
    drivers.find(
      ({name, release}) =>
        releases.includes(releaseName(release)) &&
        name === partName({name: environment, separator: other}, releaseName(release)),
    )
  const earlier = namedWith('.') ? undefined : namedWith('-')
  if (earlier) {
    const [first = '', ...rest] = earlier.name.split('-')
    note(
      `the names of objects stay those of the earlier export, such as ${earlier.name}, which an environment ${first} with a release ${rest.join('-')} would also have`,
    )
    return '-'
  }
  if (seen.length === 0)
    note(
      `the names of objects begin with "${environment}."; in exports of an older kk with "${environment}-": to keep those of one that is applied, name its cluster, or export into its directory`,
    )
  return separator
}

/**
 * Throws `KK_EXPORT` if an export would drop the seen objects, so that their releases would be uninstalled.
 */
export function expectDrivers(files: OwnedFiles, seen: readonly SeenDrivers[]): void {
  if (seen.length === 0) return
  const texts = [...files].filter(([path]) => path.endsWith('.yaml')).map(([, {content}]) => String(content))
  const exported = driversAmong(texts.flatMap((text) => readYamlDocuments(text)).filter(isMap))
  for (const {drivers, ...place} of seen) expectSameDrivers(exported, drivers, place)
}
