import {chmod, copyFile, mkdir, readFile, writeFile} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {execa} from 'execa'
import {onTestFinished} from 'vitest'
import {startBuildah} from '../../../src/images/building/buildah.ts'
import {type Image, localReference} from '../../../src/images/image.ts'
import {testDirectory} from '../../support/test-directory.ts'

interface Ran {
  readonly exitCode: number
  /** What it said on both of its streams. */
  readonly says: string
}

/** A container of an image, without a node: what it changes stays until the test ends. */
export interface Container {
  /** Runs bash in it, as the image's user unless told. */
  run(script: string, options?: RunOptions): Promise<Ran>
  /** Starts as a pod does, with these files where kolla looks for its configuration. */
  start(files: Files, options?: RunOptions): Promise<Ran>
  /** Does only the first step of a start: files to their places, with their owners. */
  configure(files: Files): Promise<Ran>
  /** Copies a program beside those files. */
  bring(program: string): Promise<void>
}

/** Name → content; an object is written as JSON. */
type Files = Readonly<Record<string, string | object>>

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly user?: string
  /** Beside those that buildah gives, such as SYS_ADMIN. */
  readonly capabilities?: readonly string[]
  /** In a network of its own, where servers reach nobody and nobody reaches them. */
  readonly isAlone?: boolean
  /** Seconds until it is ended, for what would go on for ever. */
  readonly timeout?: number
}

export const CONFIG = '/var/lib/kolla/config_files'
/** Where programs write, for buildah's chroot loses what they print last on a machine with other work. */
const OUTPUT = '/run/kk-output'

/** Runs buildah to its end, and rejects when it fails. */
export async function buildah(args: readonly string[]): Promise<{readonly stdout: string}> {
  const ended = await startBuildah(() => execa('buildah', args, {reject: false}))
  if (ended.failed) throw new Error(ended.stderr, {cause: ended})
  return ended
}

export async function containerOf(image: Image): Promise<Container> {
  const {stdout: id} = await buildah(['from', '--pull=never', localReference(image)])
  const directory = testDirectory()
  onTestFinished(async () => {
    await buildah(['rm', id])
  })
  const output = join(directory, '.output')
  await mkdir(output)
  await chmod(output, 0o777)
  const place = async (files: Files) => {
    for (const [name, content] of Object.entries(files))
      await writeFile(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content))
  }
  let runs = 0
  const run = async (
    words: readonly string[],
    {env = {}, user, capabilities = [], timeout = 120, isAlone = false}: RunOptions,
  ): Promise<Ran> => {
    const args = [
      ...['run', '--isolation', 'chroot', '--volume', `${directory}:${CONFIG}:ro`],
      ...(user === undefined ? [] : ['--user', user]),
      ...capabilities.flatMap((name) => ['--cap-add', `CAP_${name}`]),
      ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      ...['--volume', `${output}:${OUTPUT}`],
      ...[id, '--', 'bash', '-c', 'exec "$@" >"$0" 2>&1', `${OUTPUT}/${++runs}`, ...words],
    ]
    const said = join(output, String(runs))
    const options = {all: true, reject: false, stdin: 'ignore', timeout: timeout * 1000} as const
    const alone = ['--net', '--', 'bash', '-c', 'ip link set lo up && exec buildah "$@"', 'buildah', ...args]
    const {exitCode, all} = await startBuildah(() =>
      isAlone ? execa('unshare', alone, options) : execa('buildah', args, options),
    )
    const says = await readFile(said, 'utf8').catch(() => '')
    return {exitCode: exitCode ?? -1, says: `${says}${all}`.replace(/\n$/, '')}
  }
  return {
    run: (script, options = {}) => run(['bash', '-c', script], options),
    async start(files, options = {}) {
      await place(files)
      const env = {KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS', ...options.env}
      return run(['dumb-init', '--single-child', '--', 'kolla_start'], {...options, env})
    },
    async configure(files) {
      await place(files)
      return run(['sudo', '-E', 'kolla_set_configs'], {env: {KOLLA_CONFIG_STRATEGY: 'COPY_ALWAYS'}})
    },
    bring: (program) => copyFile(program, join(directory, basename(program))),
  }
}
