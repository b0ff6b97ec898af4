import {ENVIRONMENT_SCHEMA} from '../../environment/schema.ts'
import {validate} from '../../environment/validate.ts'
import type {ImportedRelease} from './imported.ts'
import {releaseSettings} from './release-settings.ts'

/** Sections that are no release's. */
const RESERVED = new Set(['kk', 'global'])

/** Leaves out releases that an environment has no room for, and says why: kk would refuse the file as a whole. */
export function withRoom(releases: readonly ImportedRelease[]): {
  readonly releases: readonly ImportedRelease[]
  readonly lost: readonly string[]
} {
  const kept = new Map<string, ImportedRelease>()
  const lost: string[] = []
  for (const release of releases) {
    const {namespace, name} = release
    const reason = noRoomBecause(release, kept.get(name))
    if (reason === undefined) kept.set(name, release)
    else lost.push(`${namespace}/${name} is left out: ${reason}`)
  }
  return {releases: [...kept.values()], lost}
}

/** A section has the name of its release, whatever the namespace; two have a meaning of their own. */
function noRoomBecause(release: ImportedRelease, other: ImportedRelease | undefined): string | undefined {
  const {name, values} = release
  if (RESERVED.has(name)) return 'a section of that name is no release, so it stays with helm'
  if (other)
    return `${other.namespace}/${name} has the same name, so it needs an environment of its own (--namespace)`
  const environment = {kk: {releases: {[name]: releaseSettings(release, undefined)}}, [name]: values}
  const [problem] = validate(ENVIRONMENT_SCHEMA, environment)
  return problem && `an environment takes ${problem.expected}, not ${problem.got}, so it stays with helm`
}
