import {inOwnProcess} from './measure/own-process.ts'
import {type Bench, memory, milliseconds, type Result} from './result.ts'

const ROUNDS = 7
const MOST_MILLISECONDS = 1000
const MOST_BYTES = 300e6
const MEASURED = new URL('plan/measured.ts', import.meta.url)

/** Only planning, without a cluster, by a process that has never planned before. */
export async function measurePlan({signal}: Bench): Promise<Result[]> {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await inOwnProcess(MEASURED, [], signal))
  const time = Math.min(...rounds.map((each) => each.milliseconds))
  const bytes = Math.max(...rounds.map((each) => each.peakBytes))
  return [
    {
      what: 'graph and plan of 5,000 releases, 20,000 edges, processor time',
      value: milliseconds(time),
      target: {text: `< ${MOST_MILLISECONDS} ms`, met: time < MOST_MILLISECONDS},
    },
    memory('in all', bytes, MOST_BYTES),
  ]
}
