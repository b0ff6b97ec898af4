import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {race} from './measure/race.ts'
import {type Bench, milliseconds, type Result} from './result.ts'
import {largeEnvironment} from './split/large-environment.ts'

const ROUNDS = 15
const LEAST = 5
const VALUES_PY = join(import.meta.dirname, 'split/values.py')

/** `kk values split` of a megabyte compared with PyYAML; PyYAML's parser and emitter in C are shown, too. */
export async function measureSplit({kk, directory, signal}: Bench): Promise<Result[]> {
  const file = join(directory, 'large.yaml')
  const text = largeEnvironment()
  await writeFile(file, text)
  const env = {TMPDIR: directory}
  const contenders = [
    {command: [kk, 'values', 'split', file], env},
    {command: ['/usr/bin/python3', VALUES_PY, file], env},
    {command: ['/usr/bin/python3', VALUES_PY, file, '--libyaml'], env},
  ] as const
  const [split = 0, python = 0, libyaml = 0] = await race(contenders, {rounds: ROUNDS, signal})
  return [
    {
      what: `kk values split of ${(text.length / 1e6).toFixed(1)} MB`,
      value: milliseconds(split),
      beside: {what: 'PyYAML', value: milliseconds(python), ratio: faster(python / split)},
      target: {text: `>= ${LEAST} times faster`, met: python / split >= LEAST},
    },
    {
      what: '',
      value: '',
      beside: {
        what: 'PyYAML with libyaml',
        value: milliseconds(libyaml),
        ratio: faster(libyaml / split),
      },
    },
  ]
}

function faster(ratio: number): string {
  return `${ratio.toFixed(1)} times faster`
}
