import {createHash} from 'node:crypto'
import {createReadStream} from 'node:fs'
import {open, rename, rm, stat} from 'node:fs/promises'
import {KkError} from '../../base/errors.ts'
import {fetchThroughProxy} from './fetch.ts'

export interface Download {
  readonly url: string
  /** The algorithm and the hexadecimal digest of the content: `sha256:…` or `sha512:…`. */
  readonly checksum: string
  /** The file to write; what has arrived so far is in FILE.part. */
  readonly file: string
}

interface DownloadOptions {
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
  /** Called with the number of bytes that are there and, if the server states it, of the whole file. */
  readonly onBytes?: (there: number, whole: number | undefined) => void
  /** The time in milliseconds in which the server must answer, and then send more. */
  readonly patience?: number
}

const PATIENCE = 5000

/** A reused connection may be closed at the moment of the request. */
const ATTEMPTS_IN_VAIN = 2

/**
 * Downloads a file, unless it is there with this content. Continues what an earlier attempt, or an earlier
 * process, has left, until two attempts in a row bring nothing. The file appears under its name only after
 * its checksum is verified. Rejects with the error of the network or of the server, and with `KK_TOOLBOX` if
 * the content is another.
 */
export async function download(wanted: Download, options: DownloadOptions): Promise<void> {
  const {url, checksum, file} = wanted
  const part = `${file}.part`
  if (await hasChecksum(file, checksum)) return
  for (let inVain = 0, isWhole = false; !isWhole; ) {
    const before = await sizeOf(part)
    try {
      await receive(url, part, options)
      isWhole = true
    } catch (error) {
      options.signal?.throwIfAborted()
      inVain = (await sizeOf(part)) > before ? 0 : inVain + 1
      if (inVain === ATTEMPTS_IN_VAIN) throw error
    }
  }
  if (!(await hasChecksum(part, checksum))) {
    await rm(part, {force: true})
    throw new KkError('KK_TOOLBOX', `${url} is not the file with the checksum ${checksum}`, {
      hint: 'nothing of it was executed, and it was deleted: try again, without the proxy if one is in between; if it remains, report it',
    })
  }
  await rename(part, file)
}

/** Appends what is missing to the file; begins from nothing if the server cannot continue. */
async function receive(
  url: string,
  part: string,
  {env, signal, onBytes, patience = PATIENCE}: DownloadOptions,
): Promise<void> {
  const silence = new AbortController()
  const timer = setTimeout(
    () => silence.abort(new Error(`${new URL(url).host} sent nothing for ${patience / 1000} s`)),
    patience,
  )
  try {
    const start = await sizeOf(part)
    const signals = [silence.signal, ...(signal ? [signal] : [])]
    const headers = {'accept-encoding': 'identity', ...(start > 0 && {range: `bytes=${start}-`})}
    const response = await fetchThroughProxy(url, {headers, signal: AbortSignal.any(signals)}, env)
    // Nothing is missing.
    if (start > 0 && response.status === 416) return
    if (!response.ok || response.body === null) throw new Error(`${url}: HTTP ${response.status}`)
    const isRest = response.status === 206
    const length = Number(response.headers.get('content-length') ?? Number.NaN)
    let there = isRest ? start : 0
    const whole = Number.isNaN(length) ? undefined : there + length
    await using out = await open(part, isRest ? 'a' : 'w')
    for await (const chunk of response.body) {
      await out.writeFile(chunk)
      there += chunk.length
      timer.refresh()
      onBytes?.(there, whole)
    }
  } finally {
    clearTimeout(timer)
  }
}

async function hasChecksum(file: string, checksum: string): Promise<boolean> {
  const [algorithm = '', digest] = checksum.split(':')
  if ((await sizeOf(file)) === 0) return false
  const hash = createHash(algorithm)
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex') === digest
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.size ?? 0
}
