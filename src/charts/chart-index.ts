import {hash} from 'node:crypto'
import {realpathSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import type {ChartFacts} from '../graph/inference/facts.ts'
import {writeAtomically} from '../state/files/write-atomically.ts'

/** The version of the index format. */
const FORMAT = 2

/** A chart of a directory, with the objects that it provides with its default values. */
export interface IndexedChart {
  readonly name: string
  readonly version: string
  /** Whether it is annotated as shared infrastructure. */
  readonly shared: boolean
  readonly facts: ChartFacts
}

/** Returns the index of a directory of charts; empty if none was written. */
export async function readIndex(directory: string, cache: string): Promise<readonly IndexedChart[]> {
  try {
    return JSON.parse(await readFile(indexFile(directory, cache), 'utf8')) as readonly IndexedChart[]
  } catch {
    return []
  }
}

/** Writes the index of a directory of charts to kk's cache. Rejects with Node's own error. */
export async function writeIndex(
  directory: string,
  cache: string,
  charts: readonly IndexedChart[],
): Promise<void> {
  // Only provided objects are looked up, and wants are the larger part.
  const provided = charts.map((chart) => ({...chart, facts: {...chart.facts, wants: []}}))
  await writeAtomically(indexFile(directory, cache), JSON.stringify(provided))
}

function indexFile(directory: string, cache: string): string {
  return join(cache, 'chart-index', String(FORMAT), `${hash('sha256', realpath(directory))}.json`)
}

function realpath(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}
