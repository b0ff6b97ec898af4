import {hash} from 'node:crypto'
import {realpathSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import type {ChartFacts} from '../graph/inference/facts.ts'
import {writeAtomically} from '../state/files/write-atomically.ts'

/** Raised when an index is read in another way. */
const FORMAT = 2

/** A chart of a directory, with what it provides with its default values. */
export interface IndexedChart {
  readonly name: string
  readonly version: string
  /** Annotated as shared infrastructure. */
  readonly shared: boolean
  readonly facts: ChartFacts
}

/** The index of a directory of charts; empty where none was made. */
export async function readIndex(directory: string, cache: string): Promise<readonly IndexedChart[]> {
  try {
    return JSON.parse(await readFile(fileOf(directory, cache), 'utf8')) as readonly IndexedChart[]
  } catch {
    return []
  }
}

/** Keeps the index of a directory of charts in kk's cache. Rejects with Node's own error. */
export async function writeIndex(
  directory: string,
  cache: string,
  charts: readonly IndexedChart[],
): Promise<void> {
  // Only what is provided is ever looked up, and wants are the greater part.
  const provided = charts.map((chart) => ({...chart, facts: {...chart.facts, wants: []}}))
  await writeAtomically(fileOf(directory, cache), JSON.stringify(provided))
}

function fileOf(directory: string, cache: string): string {
  return join(cache, 'chart-index', String(FORMAT), `${hash('sha256', realpath(directory))}.json`)
}

function realpath(directory: string): string {
  try {
    return realpathSync(directory)
  } catch {
    return directory
  }
}
