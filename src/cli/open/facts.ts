import type {Environment} from '../../environment/environment.ts'
import type {Facts} from '../../overrides/facts/facts.ts'
import {knownFacts} from '../../verbs/facts/known-facts.ts'

export interface FactsFlags {
  readonly facts?: string | undefined
}

/** The facts file that the flag, or KK_FACTS, names. */
export function factsFile({facts}: FactsFlags): string | undefined {
  return facts ?? (process.env.KK_FACTS || undefined)
}

/**
 * The facts of the file that `--facts` or `KK_FACTS` names, over those that the environment states; undefined without a
 * file. Rejects with `KK_FILE`, `KK_YAML`, `KK_FACTS`.
 */
export async function factsOf(
  flags: FactsFlags,
  environment?: Pick<Environment, 'global'>,
): Promise<Facts | undefined> {
  const file = factsFile(flags)
  if (file === undefined) return undefined
  return (await knownFacts({file, environment, names: []})).facts
}
