import type {FactName, Facts, KnownFacts} from './facts.ts'

/** Facts of one origin: `cluster`, `environment` or the name of a file. */
export interface FactsFrom {
  readonly source: string
  readonly facts: Facts
}

/** Facts of several origins, from the weakest to the strongest: a fact is taken whole, never mixed. */
export function combineFacts(origins: readonly FactsFrom[]): KnownFacts {
  const sources: Partial<Record<FactName, string>> = {}
  for (const {source, facts} of origins) {
    for (const name of Object.keys(facts) as FactName[]) if (facts[name] !== undefined) sources[name] = source
  }
  const facts = Object.assign({}, ...origins.map(({facts: each}) => each)) as Facts
  return {facts, sources}
}
