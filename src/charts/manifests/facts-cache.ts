import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import type {ChartFacts} from '../../graph/inference/facts.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'

/** Raised when facts are read from manifests by other rules. */
const FORMAT = 3

/** The facts of charts that were rendered before, by the digest of all that decided the render. */
export interface FactsCache {
  read(digest: string): Promise<ChartFacts | undefined>
  /** What cannot be kept is rendered again next time. */
  keep(digest: string, facts: ChartFacts): Promise<void>
}

/** A cache below a directory of kk's own. Holds names and digests, no values and no words of texts. */
export function openFactsCache(directory: string): FactsCache {
  const fileOf = (digest: string) => join(directory, 'facts', String(FORMAT), `${digest}.json`)
  return {
    async read(digest) {
      try {
        return JSON.parse(await readFile(fileOf(digest), 'utf8')) as ChartFacts
      } catch {
        return undefined
      }
    },
    async keep(digest, facts) {
      await writeAtomically(fileOf(digest), JSON.stringify(facts), {mode: 0o600}).catch(() => undefined)
    },
  }
}
