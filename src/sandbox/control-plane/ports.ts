import {createHash} from 'node:crypto'
import {readdir, readFile} from 'node:fs/promises'
import {createServer} from 'node:net'
import {dirname, join} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import {withLock} from '../../state/lock.ts'
import type {SandboxPaths} from '../paths.ts'

/** The ports of a control plane, one for each listener. */
export interface Ports {
  readonly etcdPeerPort: number
  readonly etcdPort: number
  readonly kubeApiserverPort: number
  readonly kubeControllerManagerPort: number
  readonly kubeSchedulerPort: number
  readonly kwokControllerPort: number
}

// These ports are below Linux's ephemeral ports (32768), so that no client connection takes one by chance.
const FIRST = 20_000
const BLOCK = 10
const BLOCKS = 1000

/**
 * Chooses ports that nothing listens on and that no starting sandbox has chosen, and writes them down. The search
 * starts at a place that depends on the sandbox's directory. So a sandbox usually gets the same ports again, and
 * sandboxes in different state directories do not choose the same ports at the same time.
 */
export async function choosePorts(paths: SandboxPaths): Promise<Ports> {
  return withLock(paths.portsLock, async () => {
    const taken = await chosenPorts(dirname(paths.home))
    for (const first of candidates(paths.home)) {
      const ports = portsFrom(first)
      if (Object.values(ports).some((port) => taken.has(port)) || !(await areFree(ports))) continue
      await writeAtomically(paths.ports, JSON.stringify(ports))
      return ports
    }
    throw new KkError('KK_SANDBOX', `no free ports on 127.0.0.1 from ${FIRST} to ${FIRST + BLOCK * BLOCKS}`, {
      hint: 'stop a sandbox with "kk sandbox down"',
    })
  })
}

/** Yields the first port of every block, starting with the block that the sandbox's directory hashes to. */
export function* candidates(home: string): Generator<number> {
  const offset = createHash('sha256').update(home).digest().readUInt32BE() % BLOCKS
  for (let step = 0; step < BLOCKS; step++) yield FIRST + BLOCK * ((offset + step) % BLOCKS)
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
