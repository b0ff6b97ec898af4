import {dirname, resolve} from 'node:path'
import {dig} from '../../charts/manifests/dig.ts'
import {type ReleaseId, releaseId} from '../../release.ts'
import {type HelmfileDocument, helmfileDocuments} from './helmfile/documents.ts'
import type {Helmfile, HelmfileRelease} from './helmfile/helmfile.ts'
import {lostOfFile, withoutCredentials} from './helmfile/lost-keys.ts'
import {helmfileId, readRelease} from './helmfile/read-release.ts'
import type {Imported, ImportedRelease, ImportedSource} from './imported.ts'
import {refuseOddSettings} from './refuse-odd-settings.ts'
import {withRoom} from './with-room.ts'

interface HelmfileOptions {
  readonly file: string
  /** What it says: the output of `helmfile build`, or its own text. */
  readonly text: string
  /** Whether helmfile has worked its templates out. */
  readonly isBuilt: boolean
  /** Write what looks secret among the values, too. */
  readonly showSecrets: boolean
  readonly name: string
}

/**
 * A helmfile as an environment: `needs` become stated requirements, values files are read and merged. What has no place is
 * listed; so is what looks secret, unless it is asked for. Throws `KK_YAML` for what is no YAML, as a helmfile with templates is where helmfile is not there, `KK_FILE` for
 * what is no helmfile, and `KK_USAGE`.
 */
export function importHelmfile({file, text, isBuilt, showSecrets, name}: HelmfileOptions): Imported {
  refuseOddSettings({name, charts: []})
  const documents = helmfileDocuments(text, file, isBuilt)
  const off = new Map(documents.flatMap(offIn))
  const home = dirname(resolve(file))
  const repositories = documents.flatMap(({state}) => state.repositories ?? [])
  const read = documents.flatMap((document) =>
    (document.state.releases ?? [])
      .filter((each) => !off.has(helmfileId(each, document)))
      .map((each) => readRelease(each, document, {isBuilt, showSecrets, home, repositories})),
  )
  const room = withRoom(read.map(({release}) => release))
  const kept = read.filter(({release}) => room.releases.includes(release))
  const ids = (releases: readonly {readonly release: ImportedRelease}[]) =>
    releases.map(({release}) => releaseId(release.namespace, release.name))
  const all = {kept: new Set(ids(kept)), left: new Set([...off.keys(), ...ids(read)])}
  const lostNeeds: string[] = []
  const releases = kept.map(({release, needs}) => ({
    ...release,
    requires: requirementsOf({...release, needs}, all, (what) => void lostNeeds.push(what)),
  }))
  return {
    name,
    from: `${file}${isBuilt ? ', as helmfile build prints it' : ''}`,
    charts: unique(kept.flatMap(({source}) => source ?? [])),
    releases,
    lost: [
      ...off.values(),
      ...kept.flatMap(({lost}) => lost),
      ...lostNeeds,
      ...room.lost,
      ...documents.flatMap(({state}) => lostOfFile(state, isBuilt)),
    ].map((each) => (showSecrets ? each : withoutCredentials(each))),
  }
}

/** Releases that are turned off, or are none, with what says so. */
function offIn(document: HelmfileDocument): readonly (readonly [ReleaseId, string])[] {
  return (document.state.releases ?? []).flatMap((release) => {
    const reason = offBecause(release, document.state)
    return reason === undefined
      ? []
      : [[helmfileId(release, document), `${release.name} is left out: ${reason}`] as const]
  })
}

function offBecause({installed, condition, chart}: HelmfileRelease, state: Helmfile): string | undefined {
  if (installed === false) return 'installed is false'
  const isOn =
    !condition ||
    state.renderedvalues === undefined ||
    dig(state.renderedvalues, ...condition.split('.')) === true
  if (!isOn) return `${condition} is not true`
  return chart ? undefined : 'it has no chart: state chart in the helmfile'
}

function unique(sources: readonly ImportedSource[]): readonly ImportedSource[] {
  return [...new Map(sources.map((each) => [JSON.stringify(each), each])).values()]
}

interface Needing {
  readonly name: string
  readonly namespace: string
  /** Each is written `name`, `namespace/name` or `context/namespace/name`. */
  readonly needs: readonly string[]
}

interface Releases {
  readonly kept: ReadonlySet<ReleaseId>
  readonly left: ReadonlySet<ReleaseId>
}

/** What a release requires, as `kk.releases.X.requires` writes it; what cannot be stated is told to `lose`. */
function requirementsOf(
  {name, namespace, needs}: Needing,
  {kept, left}: Releases,
  lose: (what: string) => void,
): readonly string[] {
  const requires = needs.flatMap((need) => {
    const parts = need.split('/')
    const [place = '', release = ''] = parts.length === 1 ? [namespace, need] : parts.slice(-2)
    const id = releaseId(place, release)
    if (!kept.has(id)) {
      const why = left.has(id) ? 'which is left out' : 'which the helmfile does not have'
      lose(`the need of ${name} for ${need}, ${why}`)
      return []
    }
    if (parts.length > 2)
      lose(`the context of ${need}, which ${name} needs: an environment is of one cluster`)
    return [place === namespace ? release : id]
  })
  return [...new Set(requires)]
}
