import {type ReleaseId, releaseId} from '../../../release.ts'

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
export function requirementsOf(
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
