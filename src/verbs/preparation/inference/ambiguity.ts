import type {Environment, StatedRequirement} from '../../../environment/environment.ts'
import {KkError} from '../../../errors.ts'
import {type AmbiguousWant, type InferredRequirement, wantText} from '../../../graph/inference/infer.ts'
import {type ReleaseId, releaseName} from '../../../release.ts'

interface AmbiguityOptions {
  readonly environment: Pick<Environment, 'file' | 'releases'>
  /** What is not ambiguous. */
  readonly requirements: readonly InferredRequirement[]
}

/** `KK_AMBIGUOUS` with everything that several releases could provide, and the lines to write. */
export function ambiguousError(ambiguous: readonly AmbiguousWant[], options: AmbiguityOptions): KkError {
  const {file} = options.environment
  const lines = ambiguous.map(({release, want, candidates}) => {
    const names = candidates.map((each) => releaseName(each.release)).join(', ')
    const text = wantText(want, candidates[0]!)
    return `  ${releaseName(release)}: ${want.object} ${text} (${want.file}): ${names} have it`
  })
  const byRelease = Map.groupBy(ambiguous, ({release}) => release)
  const choices = [...byRelease].map(([release, wants]) => choiceLine(release, wants, options))
  return new KkError(
    'KK_AMBIGUOUS',
    [`${file}: several releases could be what is required:`, ...new Set(lines)].join('\n'),
    {hint: `say which, for example ${choices.join(', and ')}`},
  )
}

/**
 * The line that settles what is ambiguous for a release: the first candidate of each, beside what is stated already. Its
 * kind is that of the wants, for a stated `ready` would be a mistake between releases that need each other.
 */
export function choiceLine(
  release: ReleaseId,
  wants: readonly AmbiguousWant[],
  {environment: {releases}, requirements}: AmbiguityOptions,
): string {
  const chosen = new Set(wants.map(({candidates}) => candidates[0]!.release))
  const isReady = (to: ReleaseId) =>
    wants.some(({candidates, want}) => candidates[0]!.release === to && want.kind === 'ready') ||
    requirements.some((each) => each.from === release && each.to === to && each.kind === 'ready')
  const stated = releases.get(releaseName(release))?.requires ?? []
  const words = [
    ...stated.map(stateAgain),
    ...[...chosen].map((to) => `${releaseName(to)}${isReady(to) ? '' : ':applied'}`),
  ]
  return `kk.releases.${releaseName(release)}: {requires: [${words.join(', ')}]}`
}

function stateAgain({release, namespace, kind}: StatedRequirement): string {
  const place = namespace === undefined ? '' : `${namespace}/`
  return `${place}${release}${kind === 'ready' ? '' : `:${kind}`}`
}
