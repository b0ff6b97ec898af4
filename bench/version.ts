import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {race} from './measure/race.ts'
import {type Bench, milliseconds, type Result} from './result.ts'

const ROUNDS = 31
const MOST = 3

/** `kk --version` beside an empty program of the same Node. */
export async function measureVersion({kk, directory, signal}: Bench): Promise<Result[]> {
  const empty = join(directory, 'empty.js')
  await writeFile(empty, '')
  const contenders = [{command: [kk, '--version']}, {command: [process.execPath, empty]}] as const
  const [version = 0, nothing = 0] = await race(contenders, {rounds: ROUNDS, signal})
  const ratio = version / nothing
  return [
    {
      what: 'kk --version',
      value: milliseconds(version),
      beside: {what: 'an empty program', value: milliseconds(nothing), ratio: ratio.toFixed(2)},
      target: {text: `<= ${MOST}`, met: ratio <= MOST},
    },
  ]
}
