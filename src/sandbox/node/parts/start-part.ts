import {writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {KkError} from '../../../base/errors.ts'
import {makeDirectory} from '../../../state/files/make-directory.ts'
import {processMark} from '../../control-plane/processes.ts'
import {SYSTEM_PATH} from '../host/command.ts'
import type {NodePaths} from '../paths.ts'
import type {Part} from './part.ts'

/** Starts a part detached from kk, with its output in a log. Resolves with its process id. */
export async function startPart(paths: NodePaths, name: string, part: Part): Promise<number> {
  for (const directory of part.directories ?? []) await makeDirectory(directory, {mode: 0o755})
  for (const [file, content] of Object.entries(part.files ?? {})) {
    await makeDirectory(dirname(file))
    await writeFile(file, content)
  }
  const pidFile = paths.components[name]!
  await Promise.all([dirname(pidFile), paths.logs].map((directory) => makeDirectory(directory)))
  const pid = await spawnDetached(paths, part.argv, logFile(paths, name))
  await writeFile(pidFile, String(pid))
  return pid
}

export function logFile(paths: NodePaths, name: string): string {
  return join(paths.logs, `${name}.log`)
}

// The shell opens the log, so that kk holds no file descriptor of it.
const LOGGED = 'exec "$@" >>"$LOG" 2>&1'

async function spawnDetached(paths: NodePaths, argv: readonly string[], log: string): Promise<number> {
  const child = execa('/bin/sh', ['-c', LOGGED, 'start', ...argv], {
    cwd: paths.directory,
    // Without the user's variables: with a proxy among them, the part would reach the API server through the
    // proxy.
    env: {HOME: paths.directory, PATH: SYSTEM_PATH, LOG: log, ...processMark(paths.home)},
    extendEnv: false,
    stdio: 'ignore',
    detached: true,
    cleanup: false,
    reject: false,
  })
  if (child.pid === undefined) throw notStarted(argv[0]!, await child)
  child.nodeChildProcess.unref()
  return child.pid
}

function notStarted(file: string, cause: unknown): KkError {
  return new KkError('KK_AIO', `${file} could not be started`, {
    hint: '"kk aio doctor" checks the requirements of the node',
    cause,
  })
}
