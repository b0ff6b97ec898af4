import {TIME_TITLE, timeOf} from '../../../environment/duration.ts'
import type {ReleaseId} from '../../../release.ts'
import {releaseId} from '../../../release.ts'
import type {ImportedRelease, ImportedSource} from '../imported.ts'
import {withoutSecrets} from '../without-secrets.ts'
import {chartSource} from './chart-source.ts'
import type {HelmfileDocument} from './documents.ts'
import type {Helmfile, HelmfileRelease} from './helmfile.ts'
import {lostCredentials, lostOfRelease, withoutCredentials} from './lost-keys.ts'
import {releaseValues} from './release-values.ts'

/** A release of a helmfile as an environment would have it, but for what it requires. */
export interface ReadRelease {
  readonly release: ImportedRelease
  readonly source: ImportedSource | undefined
  /** As helmfile writes them. */
  readonly needs: readonly string[]
  readonly lost: readonly string[]
}

interface ReadOptions {
  readonly isBuilt: boolean
  readonly showSecrets: boolean
  /** Where the paths of the environment will start. */
  readonly home: string
  readonly repositories: NonNullable<Helmfile['repositories']>
}

/** Reads one release, with its values files. Throws `KK_YAML` for one that is none, and `KK_VALUES` for a wrong `set`. */
export function readRelease(
  stated: HelmfileRelease,
  document: HelmfileDocument,
  {isBuilt, showSecrets, home, repositories}: ReadOptions,
): ReadRelease {
  const {directory, state} = document
  const {name, chart = '', needs = []} = stated
  const lost: string[] = []
  const lose = (what: string) => void lost.push(what)
  const address = withoutCredentials(chart)
  const found = chartSource(address, {directory, home, repositories})
  if (address !== chart) lose(lostCredentials(`the chart of ${name}`))
  if (found.source === undefined)
    lose(`where the chart ${showSecrets ? chart : address} of ${name} comes from`)
  if (found.unkept !== undefined) lose(`${found.unkept} of the chart of ${name}: state a version instead`)
  const all = releaseValues(stated, directory, lose)
  const {values, lost: secrets} = showSecrets ? {values: all, lost: []} : withoutSecrets(name, all)
  lost.push(...secrets, ...lostOfRelease(stated, isBuilt))
  const version = found.version ?? (stated.version || undefined)
  const seconds = stated.timeout ?? state.helmDefaults?.timeout ?? 0
  const timeout = timeOf(seconds)
  if (timeout === undefined && seconds > 0) lose(`timeout of ${name}: expected ${TIME_TITLE}`)
  const release: ImportedRelease = {
    name,
    namespace: namespaceOf(stated, document),
    chart: {name: found.name, ...(version !== undefined && {version})},
    values,
    requires: [],
    ...(timeout !== undefined && {timeout}),
    notes: [],
  }
  return {release, source: found.source, needs, lost}
}

export function helmfileId(release: HelmfileRelease, document: HelmfileDocument): ReleaseId {
  return releaseId(namespaceOf(release, document), release.name)
}

/** What the file says for all of them wins, as in helmfile; an empty one says nothing. */
function namespaceOf({namespace}: HelmfileRelease, {state}: HelmfileDocument): string {
  return state.namespace || namespace || 'default'
}
