import {copyFile, rm, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {writeStripped} from '../scripts/build/stripped.ts'
import {race} from './measure/race.ts'
import {type Bench, milliseconds, type Result} from './result.ts'

const ROUNDS = 31
const COLD_ROUNDS = 9
const MOST = 3
/** Reading kk takes as long as reading Node, which is seven eighths of its file. */
const MOST_COLD = 2

/** How fast kk starts, and how large it is, compared with an empty program of the same Node. */
export async function measureVersion(bench: Bench): Promise<Result[]> {
  const {kk, directory, signal} = bench
  const empty = join(directory, 'empty.js')
  await writeFile(empty, '')
  const contenders = [{command: [kk, '--version']}, {command: [process.execPath, empty]}] as const
  const [version = 0, nothing = 0] = await race(contenders, {rounds: ROUNDS, signal})
  return [
    beside({what: 'kk --version', kk: version, nothing, most: MOST}),
    ...(await coldStarts(bench, empty)),
    await size(bench),
  ]
}

/** The first start on a machine: the file is not in the page cache, and kk's assets are not unpacked yet. */
async function coldStarts({kk, directory, signal}: Bench, empty: string): Promise<Result[]> {
  // Copies, because a file that another process runs stays in memory.
  const [own, node] = [join(directory, 'cold-kk'), join(directory, 'cold-node')]
  await copyFile(kk, own)
  await copyFile(process.execPath, node)
  const home = join(directory, 'cold-home')
  await writeFile(join(directory, 'cold.yaml'), 'keystone: {}\n')
  const forget = (file: string) => async () => {
    await execa('dd', [`of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0', 'status=none'])
    await rm(home, {recursive: true, force: true})
  }
  const env = {XDG_CACHE_HOME: home}
  const contenders = [
    {command: [own, '--version'], env, before: forget(own)},
    {command: [own, 'graph', join(directory, 'cold.yaml')], env, before: forget(own)},
    {command: [node, empty], before: forget(node)},
  ] as const
  const [version = 0, graph = 0, nothing = 0] = await race(contenders, {rounds: COLD_ROUNDS, signal})
  return [
    beside({what: 'kk --version, not in the file cache', kk: version, nothing, most: MOST_COLD}),
    beside({what: '  kk graph, which unpacks charts then', kk: graph, nothing}),
  ]
}

interface Compared {
  readonly what: string
  readonly kk: number
  readonly nothing: number
  /** As a multiple of the empty program. */
  readonly most?: number
}

function beside({what, kk, nothing, most}: Compared): Result {
  const ratio = kk / nothing
  return {
    what,
    value: milliseconds(kk),
    beside: {what: 'an empty program', value: milliseconds(nothing), ratio: ratio.toFixed(2)},
    ...(most !== undefined && {target: {text: `<= ${most}`, met: ratio <= most}}),
  }
}

async function size({kk, directory}: Bench): Promise<Result> {
  const stripped = join(directory, 'stripped-node')
  writeStripped(process.execPath, stripped)
  const [own, node] = [(await stat(kk)).size, (await stat(stripped)).size]
  const megabytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MB`
  return {
    what: 'the executable',
    value: megabytes(own),
    beside: {what: 'its Node alone', value: megabytes(node), ratio: (own / node).toFixed(2)},
  }
}
