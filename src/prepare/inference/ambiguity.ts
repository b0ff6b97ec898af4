import {KkError} from '../../base/errors.ts'
import type {Environment, StatedRequirement} from '../../environment/environment.ts'
import {type AmbiguousWant, wantText} from '../../graph/inference/infer.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {type Choice, choices, type Requirements} from './choices.ts'

interface AmbiguityOptions {
  readonly environment: Pick<Environment, 'file' | 'releases'>
  readonly requirements: Requirements
}

/** Returns `KK_AMBIGUOUS` with every want that several releases could satisfy, and the lines to write. */
export function ambiguousError(ambiguous: readonly AmbiguousWant[], options: AmbiguityOptions): KkError {
  const {file} = options.environment
  const lines = ambiguous.map(({release, want, candidates}) => {
    const names = candidates.map((each) => releaseName(each.release)).join(', ')
    const text = wantText(want, candidates[0]!)
    return `  ${releaseName(release)}: ${want.object} ${text} (${want.file}): ${names} have it`
  })
  const proposed = [...choiceLines(ambiguous, options).values()]
  return new KkError(
    'KK_AMBIGUOUS',
    [`${file}: several releases could be what is required:`, ...new Set(lines)].join('\n'),
    {hint: `specify which, for example ${proposed.join(', and ')}`},
  )
}

/**
 * Returns, by release, the line that resolves its ambiguities; it repeats its stated requirements, so as to
 * be complete.
 */
export function choiceLines(
  ambiguous: readonly AmbiguousWant[],
  {environment: {releases}, requirements}: AmbiguityOptions,
): ReadonlyMap<ReleaseId, string> {
  const lines = [...choices(ambiguous, requirements)].map(([release, chosen]) => {
    const name = releaseName(release)
    const words = [...(releases.get(name)?.requires ?? []).map(formatStated), ...chosen.map(formatChoice)]
    return [release, `kk.releases.${name}: {requires: [${words.join(', ')}]}`] as const
  })
  return new Map(lines)
}

function formatChoice({to, kind}: Choice): string {
  return kind === 'ready' ? releaseName(to) : `${releaseName(to)}:${kind}`
}

function formatStated({release, namespace, kind}: StatedRequirement): string {
  const place = namespace === undefined ? '' : `${namespace}/`
  return `${place}${release}${kind === 'ready' ? '' : `:${kind}`}`
}
