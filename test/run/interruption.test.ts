import {expect, test} from 'vitest'
import {newInterruption} from '../../src/run/interruption.ts'

test('the first interruption requests a stop, the second an abort', () => {
  const {stop, abort, interrupt} = newInterruption()

  interrupt()
  const first = [stop.aborted, abort.aborted]
  interrupt()
  const second = [stop.aborted, abort.aborted]

  expect({first, second}).toEqual({first: [true, false], second: [true, true]})
})
