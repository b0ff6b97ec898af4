import {type ReleaseId, releaseId} from '../release.ts'
import {type Imported, type ImportedRelease, type ImportedSource, skipInexpressible} from './imported.ts'

/** A release that must be deployed before another, as the other tool names it. */
interface Need {
  readonly release: ReleaseId
  /** For messages. */
  readonly text: string
  /** What is lost of the need although it becomes a requirement. */
  readonly lost?: string
}

/** A release as an environment would have it, without its requirements. */
export interface ReadRelease {
  readonly release: ImportedRelease
  readonly source: ImportedSource | undefined
  readonly needs: readonly Need[]
  readonly lost: readonly string[]
}

interface AssembleOptions extends Pick<Imported, 'name' | 'from'> {
  readonly read: readonly ReadRelease[]
  /** Releases that were skipped before, each with the sentence that gives the reason. */
  readonly skipped?: ReadonlyMap<ReleaseId, string>
  /** What was read, as a noun phrase: `the helmfile`. */
  readonly where: string
  /** Further losses, such as settings of the whole file. */
  readonly lost?: readonly string[]
}

/** Returns an environment of the releases read; the needs of an imported release become its requirements. */
export function assemble({name, from, read, skipped, where, lost = []}: AssembleOptions): Imported {
  const expressible = skipInexpressible(read.map(({release}) => release))
  const imported = read.filter(({release}) => expressible.releases.includes(release))
  const importedIds = new Set(imported.map(({release}) => importedId(release)))
  const readIds = new Set([...(skipped?.keys() ?? []), ...read.map(({release}) => importedId(release))])
  const lostNeeds: string[] = []
  const releases = imported.map(({release, needs}) => {
    const requires = needs.flatMap((need) => {
      if (!importedIds.has(need.release)) {
        const why = readIds.has(need.release) ? 'which is skipped' : `which ${where} does not have`
        lostNeeds.push(`the need of ${release.name} for ${need.text}, ${why}`)
        return []
      }
      if (need.lost !== undefined) lostNeeds.push(need.lost)
      return [requirementText(need.release, release)]
    })
    return {...release, requires: [...new Set(requires)]}
  })
  return {
    name,
    from,
    charts: unique(imported.flatMap(({source}) => source ?? [])),
    releases,
    lost: [
      ...(skipped?.values() ?? []),
      ...imported.flatMap((each) => each.lost),
      ...lostNeeds,
      ...expressible.lost,
      ...lost,
    ],
  }
}

function importedId({namespace, name}: ImportedRelease): ReleaseId {
  return releaseId(namespace, name)
}

/** As written in `kk.releases.X.requires`. */
function requirementText(required: ReleaseId, {namespace}: ImportedRelease): string {
  const prefix = `${namespace}/`
  return required.startsWith(prefix) ? required.slice(prefix.length) : required
}

function unique(sources: readonly ImportedSource[]): readonly ImportedSource[] {
  return [...new Map(sources.map((each) => [JSON.stringify(each), each])).values()]
}
