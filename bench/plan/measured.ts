import {printMeasured} from '../measure/own-process.ts'
import {LARGE, planner} from './large-plan.ts'

const plan = planner(LARGE)
await printMeasured(plan)
