import type {RunDocument} from '../../../src/report/run/run-json.ts'
import type {TestResult} from '../../../src/run/events.ts'
import {succeed} from './cloud.ts'

/** Runs the release `tempest` of an environment; `args` are more arguments of `kk test`. */
export async function tempestResults(
  file: string,
  ...args: readonly string[]
): Promise<readonly TestResult[]> {
  const said = await succeed(['test', file, 'tempest', '--timeout', '60m', '--output', 'json', ...args])
  const {releases} = JSON.parse(said) as RunDocument
  return releases.flatMap(({tests = []}) => tests)
}
