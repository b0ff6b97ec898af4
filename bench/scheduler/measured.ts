import {run} from '../../src/run/run.ts'
import {printMeasured} from '../measure/own-process.ts'
import {planner} from '../plan/large-plan.ts'
import {SHAPES, type ShapeName} from './shapes.ts'

const [shape, releases] = process.argv.slice(2)
const plan = planner(SHAPES[shape as ShapeName](Number(releases)))()

await printMeasured(async () => {
  const perform = async () => ({revision: 1})
  let succeeded = 0
  for await (const event of run({run: 'bench', plan, perform, concurrency: 8})) {
    if (event.type === 'release-succeeded') succeeded += 1
  }
  if (succeeded !== plan.actions.length) throw new Error(`${succeeded} of ${plan.actions.length} succeeded`)
})
