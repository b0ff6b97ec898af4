import {readFile, stat, statfs} from 'node:fs/promises'
import {dirname} from 'node:path'
import type {NodePaths} from '../paths.ts'
import type {Finding} from './finding.ts'

const GIB = 2 ** 30

/** What the node itself takes, and what an OpenStack of a few services takes. */
const MEMORY = {least: 2, enough: 6}
const DISK = {least: 5, enough: 15}

/** Linux's longest address of a socket, less the longest name that a part gives one below the kubelet's directory. */
const LONGEST_DIRECTORY = 107 - '/plugins_registry/01234567.sock'.length

export async function checkMemory(): Promise<Finding> {
  const text = await readFile('/proc/meminfo', 'utf8')
  const available = Number(/^MemAvailable:\s+(\d+) kB/m.exec(text)?.[1]) * 1024
  return measured('memory', available, MEMORY, 'end what else runs, or take a larger machine')
}

/** Of the disk that will hold the node's files. */
export async function checkDisk(home: string): Promise<Finding> {
  const {bavail, bsize} = await statfs(await existing(home))
  return measured('disk', bavail * bsize, DISK, 'set XDG_STATE_HOME to a directory on a larger disk')
}

export function checkPath({directory, kubelet}: NodePaths): Finding {
  const check = 'path'
  if (kubelet.length <= LONGEST_DIRECTORY)
    return {check, level: 'ok', what: `the node's files are in ${directory}`}
  return {
    check,
    level: 'problem',
    what: `${kubelet} is too long for the addresses of sockets: ${kubelet.length} of ${LONGEST_DIRECTORY} letters`,
    advice: 'set XDG_STATE_HOME to a shorter path',
  }
}

function measured(
  check: string,
  bytes: number,
  {least, enough}: {readonly least: number; readonly enough: number},
  advice: string,
): Finding {
  const what = `${(bytes / GIB).toFixed(1)} GiB free`
  if (bytes >= enough * GIB) return {check, level: 'ok', what}
  const wanted = `${what}; the node needs ${least} GiB, with OpenStack ${enough}`
  return {check, level: bytes < least * GIB ? 'problem' : 'warning', what: wanted, advice}
}

/** The directory, or the first above it that exists. */
async function existing(directory: string): Promise<string> {
  return stat(directory).then(
    () => directory,
    () => existing(dirname(directory)),
  )
}
