import {inOwnProcess} from './measure/own-process.ts'
import {type Bench, memory, type Result} from './result.ts'
import {SHAPES} from './scheduler/shapes.ts'

const ROUNDS = 3
const ACTIONS = 5000
/** With so many times the actions, the run may take about as many times as long: nothing is quadratic. */
const TIMES = 4
const MOST_MILLISECONDS = 1
const MOST_GROWTH = 2
const MOST_BYTES = 300e6
const MEASURED = new URL('scheduler/measured.ts', import.meta.url)

/** Processor time of the run itself, with work that ends at once: per action, and how it grows. */
export async function measureScheduler({signal}: Bench): Promise<Result[]> {
  const results: Result[] = []
  for (const shape of Object.keys(SHAPES)) {
    const few = await measureShape(shape, ACTIONS, signal)
    const many = await measureShape(shape, ACTIONS * TIMES, signal)
    results.push(...resultsOf(shape, few, many))
  }
  return results
}

interface Measured {
  readonly perAction: number
  readonly peakBytes: number
}

async function measureShape(shape: string, actions: number, signal: AbortSignal): Promise<Measured> {
  const rounds = []
  for (let round = 0; round < ROUNDS; round++)
    rounds.push(await inOwnProcess(MEASURED, [shape, String(actions)], signal))
  return {
    perAction: Math.min(...rounds.map((each) => each.milliseconds)) / actions,
    peakBytes: Math.max(...rounds.map((each) => each.peakBytes)),
  }
}

function resultsOf(shape: string, few: Measured, many: Measured): Result[] {
  const growth = many.perAction / few.perAction
  return [
    {
      what: `scheduler, per action of 5,000; ${shape}`,
      value: microseconds(few.perAction),
      target: {text: `< ${MOST_MILLISECONDS} ms`, met: few.perAction < MOST_MILLISECONDS},
    },
    {
      what: '  per action of 20,000',
      value: microseconds(many.perAction),
      beside: {what: 'of 5,000', value: microseconds(few.perAction), ratio: growth.toFixed(2)},
      target: {text: `<= ${MOST_GROWTH}`, met: growth <= MOST_GROWTH},
    },
    memory('5,000 actions', few.peakBytes, MOST_BYTES),
  ]
}

function microseconds(value: number): string {
  return `${Math.round(value * 1000)} µs`
}
