import {type ReleaseId, releaseId} from '../release.ts'
import {type Imported, type ImportedRelease, type ImportedSource, withRoom} from './imported.ts'

/** A release that goes before another, as the other tool names it. */
interface Need {
  readonly release: ReleaseId
  /** For messages. */
  readonly text: string
  /** What of the need is lost where it is kept. */
  readonly lost?: string
}

/** A release as an environment would have it, but for what it requires. */
export interface ReadRelease {
  readonly release: ImportedRelease
  readonly source: ImportedSource | undefined
  readonly needs: readonly Need[]
  readonly lost: readonly string[]
}

interface AssembleOptions extends Pick<Imported, 'name' | 'from'> {
  readonly read: readonly ReadRelease[]
  /** Releases that were left out before, each with the sentence that says why. */
  readonly left?: ReadonlyMap<ReleaseId, string>
  /** What was read, in a sentence: `the helmfile`. */
  readonly where: string
  /** What is lost of the rest. */
  readonly lost?: readonly string[]
}

/** Returns an environment of releases that were read: what goes before one that is kept becomes its requirement. */
export function assemble({name, from, read, left, where, lost = []}: AssembleOptions): Imported {
  const room = withRoom(read.map(({release}) => release))
  const kept = read.filter(({release}) => room.releases.includes(release))
  const keptIds = new Set(kept.map(({release}) => idOf(release)))
  const known = new Set([...(left?.keys() ?? []), ...read.map(({release}) => idOf(release))])
  const lostNeeds: string[] = []
  const releases = kept.map(({release, needs}) => {
    const requires = needs.flatMap((need) => {
      if (!keptIds.has(need.release)) {
        const why = known.has(need.release) ? 'which is left out' : `which ${where} does not have`
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
    charts: unique(kept.flatMap(({source}) => source ?? [])),
    releases,
    lost: [
      ...(left?.values() ?? []),
      ...kept.flatMap((each) => each.lost),
      ...lostNeeds,
      ...room.lost,
      ...lost,
    ],
  }
}

function idOf({namespace, name}: ImportedRelease): ReleaseId {
  return releaseId(namespace, name)
}

/** As `kk.releases.X.requires` writes it. */
function requirementText(required: ReleaseId, {namespace}: ImportedRelease): string {
  const prefix = `${namespace}/`
  return required.startsWith(prefix) ? required.slice(prefix.length) : required
}

function unique(sources: readonly ImportedSource[]): readonly ImportedSource[] {
  return [...new Map(sources.map((each) => [JSON.stringify(each), each])).values()]
}
