import {type InferenceInputs, type InferredRequirement, infer} from '../../../graph/inference/infer.ts'
import {withInferred} from '../../../graph/inference/with-inferred.ts'
import type {Requirements} from './choices.ts'

interface Found {
  readonly stated: Requirements
  readonly inferred: readonly InferredRequirement[]
  readonly inputs: InferenceInputs
}

/** What each release requires that is not ambiguous, and all that those of the shelf could: one may be chosen from it. */
export function possibleRequirements({stated, inferred, inputs}: Found): Requirements {
  const {releases, shelf} = inputs
  const offered = new Set(shelf.map(({release}) => release))
  const ofShelf = infer({...inputs, releases: [...releases, ...shelf], inferring: offered, shelf: []})
  const open = ofShelf.ambiguous.flatMap(({release: from, want: {kind, file, text}, candidates}) =>
    candidates.map(({release: to}): InferredRequirement => {
      return {from, to, kind, evidence: {source: 'inferred', file, text}}
    }),
  )
  const nothing = [...offered].map((release) => [release, []] as const)
  return withInferred(new Map([...nothing, ...stated]), [...inferred, ...ofShelf.requirements, ...open])
}
