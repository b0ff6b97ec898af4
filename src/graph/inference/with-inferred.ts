import type {ReleaseId} from '../../release.ts'
import type {Requirement} from '../build.ts'
import type {InferredRequirement} from './infer.ts'

/**
 * Returns the requirements of each release together with the inferred ones, without repetition. A stated requirement
 * keeps its kind and gets the evidence; soft requirements are left to `refine`.
 */
export function withInferred(
  stated: ReadonlyMap<ReleaseId, readonly Requirement[]>,
  inferred: readonly InferredRequirement[],
): ReadonlyMap<ReleaseId, readonly Requirement[]> {
  const result = new Map([...stated].map(([release, requirements]) => [release, [...requirements]]))
  const seen = new Set<string>()
  for (const {from, to, kind, evidence} of inferred) {
    const own = result.get(from)
    const key = [from, to, kind, evidence.file, evidence.text].join(' ')
    if (!own || kind === 'soft' || seen.has(key)) continue
    seen.add(key)
    const kinds = stated.get(from)!.filter(({release}) => release === to)
    const isReady = kinds.some((each) => each.kind === 'ready')
    const settled = isReady ? 'ready' : 'applied'
    own.push({release: to, kind: kinds.length === 0 ? kind : settled, evidence})
  }
  return result
}
