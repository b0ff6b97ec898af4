import {createHash} from 'node:crypto'
import {readdir, readFile} from 'node:fs/promises'
import {createServer} from 'node:net'
import {dirname, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import {withLock} from '../../state/lock.ts'
import type {SandboxPaths} from '../paths.ts'

/** The ports of a control plane, one per listener. */
export interface Ports {
  readonly etcdPeerPort: number
  readonly etcdPort: number
  readonly kubeApiserverPort: number
  readonly kubeControllerManagerPort: number
  readonly kubeSchedulerPort: number
  readonly kwokControllerPort: number
}

// Below Linux's ephemeral ports (32768), so that no client connection takes one by chance.
const FIRST_PORT = 20_000
const PORTS_PER_BLOCK = 10
const BLOCK_COUNT = 1000

/**
 * Chooses ports that are free and not reserved by another starting sandbox, and records them. The search
 * starts at an offset derived from the sandbox's directory, so that a sandbox usually gets the same ports
 * again, and sandboxes in different state directories do not choose the same ports concurrently.
 */
export async function choosePorts(paths: SandboxPaths): Promise<Ports> {
  return withLock(paths.portsLock, async () => {
    const reservedPorts = await chosenPorts(dirname(paths.home))
    for (const first of candidates(paths.home)) {
      const ports = portsFrom(first)
      if (Object.values(ports).some((port) => reservedPorts.has(port)) || !(await areFree(ports))) continue
      await writeAtomically(paths.ports, JSON.stringify(ports))
      return ports
    }
    throw new KkError(
      'KK_SANDBOX',
      `no free ports on 127.0.0.1 from ${FIRST_PORT} to ${FIRST_PORT + PORTS_PER_BLOCK * BLOCK_COUNT}`,
      {
        hint: 'stop a sandbox with "kk sandbox down"',
      },
    )
  })
}

/** Yields the first port of every block, starting with the block that the sandbox's directory hashes to. */
export function* candidates(stateHome: string): Generator<number> {
  const offset = createHash('sha256').update(stateHome).digest().readUInt32BE() % BLOCK_COUNT
  for (let step = 0; step < BLOCK_COUNT; step++)
    yield FIRST_PORT + PORTS_PER_BLOCK * ((offset + step) % BLOCK_COUNT)
}

function portsFrom(first: number): Ports {
  return {
    kubeApiserverPort: first,
    etcdPort: first + 1,
    etcdPeerPort: first + 2,
    kubeControllerManagerPort: first + 3,
    kubeSchedulerPort: first + 4,
    kwokControllerPort: first + 5,
  }
}

async function chosenPorts(sandboxes: string): Promise<Set<number>> {
  const names = await readdir(sandboxes)
  const files = await Promise.all(
    names.map((name) => readFile(join(sandboxes, name, 'ports.json'), 'utf8').catch(() => '{}')),
  )
  return new Set(files.flatMap((text) => Object.values(JSON.parse(text) as Record<string, number>)))
}

async function areFree(ports: Ports): Promise<boolean> {
  const free = await Promise.all(Object.values(ports).map(isFree))
  return free.every(Boolean)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(false))
    server.listen({port, host: '127.0.0.1', exclusive: true}, () => server.close(() => resolve(true)))
  })
}
