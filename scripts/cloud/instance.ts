import {mkdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {execa} from 'execa'
import {exists} from '../../src/state/files/exists.ts'
import {CLIENT, startClient} from './client.ts'

const ROOT = join(import.meta.dirname, '../..')
const PATIENCE_MILLISECONDS = 300_000

/** A virtual machine that answers. */
export interface Instance {
  /** Its floating address. */
  readonly address: string
  /** The file of the SSH key that it accepts. */
  readonly key: string
}

interface Options {
  readonly say: (line: string) => void
  /** The variables of kk, which say where the node is. */
  readonly env?: NodeJS.ProcessEnv
}

/**
 * Starts the first virtual machine, if missing, with everything that it needs, and waits until it answers
 * ping and SSH.
 */
export async function firstInstance({say, env = process.env}: Options): Promise<Instance> {
  const kubectl = kubectlOf(env)
  const key = await sshKey()
  await startClient(kubectl)
  const program = await readFile(join(import.meta.dirname, 'instance.py'), 'utf8')
  const pod = ['--namespace', CLIENT.namespace, CLIENT.name]
  const python = ['python3', '-u', '-', await readFile(`${key}.pub`, 'utf8')]
  const run = kubectl(['exec', '--stdin', ...pod, '--', ...python], program)
  let address = ''
  for await (const line of run) {
    if (line.startsWith('address ')) address = line.slice('address '.length)
    else say(`  ${line}`)
  }
  await until(['ping', '-c', '1', '-w', '2', address])
  say(`  ${address} answers ping`)
  const {stdout} = await until(
    ssh({address, key}, 'hostname; lsblk --nodeps --noheadings --output NAME,SIZE'),
  )
  say(`  SSH answers: ${stdout.split('\n').join(', ')}`)
  return {address, key}
}

function kubectlOf(env: NodeJS.ProcessEnv) {
  const options = {cwd: ROOT, env, extendEnv: false, stderr: 'inherit'} as const
  return (args: readonly string[], input = '') =>
    execa(join(ROOT, 'dist/kk'), ['aio', 'shell', '--', 'kubectl', ...args], {...options, input})
}

/** Runs a script in the virtual machine, which may be another one each time, with another host key. */
export function ssh({address, key}: Instance, command: string): readonly [string, ...string[]] {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'ConnectTimeout=10',
    'ServerAliveInterval=5',
  ]
  return ['ssh', '-i', key, ...options.flatMap((option) => ['-o', option]), `root@${address}`, command]
}

/** The file of the SSH key for this machine's virtual machines. */
async function sshKey(): Promise<string> {
  const directory = join(process.env['HOME'] ?? '/root', '.config/kk')
  const file = join(directory, 'cloud-key')
  if (await exists(file)) return file
  await mkdir(directory, {recursive: true, mode: 0o700})
  await execa('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-C', 'kk-cloud', '-f', file])
  return file
}

/** Runs a command until it succeeds; rejects with its last failure after the timeout. */
async function until([command, ...args]: readonly [string, ...string[]]) {
  const end = Date.now() + PATIENCE_MILLISECONDS
  while (true) {
    const ended = await execa(command, args, {reject: false, timeout: 20_000})
    if (!ended.failed) return ended
    if (Date.now() > end) throw ended
    // Without a route ping fails at once.
    await delay(1000)
  }
}
