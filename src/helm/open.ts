import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {limiter} from '../base/limiter.ts'
import type {Values} from '../base/values.ts'
import {redactor} from '../redact/redact.ts'
import {redactTemplateErrors} from '../redact/template-errors.ts'
import {temporaryDirectory} from '../state/files/temporary-directory.ts'
import {
  type ClusterFlags,
  installArguments,
  previewArguments,
  rollbackArguments,
  templateArguments,
  testArguments,
  uninstallArguments,
  upgradeArguments,
} from './arguments.ts'
import {childEnvironment, type ProcessEnvironment} from './child-environment.ts'
import {type HelmCommand, helmFailure} from './failure.ts'
import type {ChangedRelease, Helm, HelmVersion, OperationOptions, ReleaseCall} from './helm.ts'
import {type HelmOutcome, runHelm} from './run.ts'

/** The fields of a call that `run` reads; only some commands read values. */
type Subject = Pick<ReleaseCall, 'name' | 'namespace' | 'values' | 'timeoutSeconds' | 'mask'>

interface Run {
  readonly command: HelmCommand
  readonly words: readonly string[]
  /** Standard input. */
  readonly input?: string
  readonly options?: Partial<OperationOptions>
}

interface HelmOptions extends ClusterFlags {
  readonly path: string
  readonly version: HelmVersion
  readonly env: ProcessEnvironment
  /** The time in which an aborted helm may exit. */
  readonly graceMilliseconds?: number
}

/** Returns a helm binary on one cluster. Starts no process itself. Throws `KK_HELM_DRIVER`. */
export function openHelm(options: HelmOptions): Helm {
  const {path, version} = options
  const env = childEnvironment(options.env)
  const inTurn = limiter(MAX_CONCURRENT_RENDERS)

  const run = async (
    call: Subject,
    {command, words, input, options: {signal, onStarted, env: marks} = {}}: Run,
  ) => {
    if (signal?.aborted) throw notStarted(command, call)
    const isRender = command === 'template'
    const outcome = await runHelm({
      path,
      arguments: words,
      env: {...env, ...marks},
      ...(input === undefined ? {} : {input}),
      ...(signal ? {signal} : {}),
      ...(onStarted ? {onStarted} : {}),
      ...(isRender ? {timeoutMilliseconds: (call.timeoutSeconds ?? RENDER_TIMEOUT_SECONDS) * 1000} : {}),
      // Helm ignores SIGTERM while rendering, and a render has nothing to write.
      graceMilliseconds: isRender ? 0 : options.graceMilliseconds,
    })
    if (outcome.exitCode === 0) return outcome.stdout
    if (outcome.timedOut) throw endless(call)
    throw outcome.terminated ? terminated(command, call, outcome) : failed(command, call, outcome)
  }

  /** Runs a helm command that changes nothing, such as `template`. */
  const render = (
    call: ReleaseCall,
    words: readonly string[],
    marks: Readonly<Record<string, string>> = {},
  ) =>
    inTurn(() =>
      run(call, {
        command: 'template',
        words,
        input: valuesJson(call.values),
        options: {env: {...SHORT_LIVED, ...userSettings(options.env), ...marks}},
      }),
    )

  return {
    path,
    version,
    async install(call, change) {
      const words = installArguments(version.major, call, change, options)
      const input = valuesJson(call.values)
      return changedRelease(await run(call, {command: 'install', words, input, options: change}), call)
    },
    async upgrade(call, change) {
      const words = upgradeArguments(version.major, call, change, options)
      const input = valuesJson(call.values)
      return changedRelease(await run(call, {command: 'upgrade', words, input, options: change}), call)
    },
    async rollback(call, operation) {
      const words = rollbackArguments(version.major, call, operation, options)
      await run(call, {command: 'rollback', words, options: operation})
    },
    async uninstall(call, operation) {
      const words = uninstallArguments(call, operation, options)
      await run(call, {command: 'uninstall', words, options: operation})
    },
    async test(call, operation) {
      const words = testArguments(call, operation, options)
      await run(call, {command: 'test', words, options: operation})
    },
    async previewUpgrade(call, revision) {
      const words = previewArguments(call, options)
      const stdout = await withHistory(call, revision - 1, (marks) => render(call, words, marks))
      return previewedStream(stdout, call)
    },
    template: (call, template = {}) => render(call, templateArguments(call, template, options)),
  }
}

/**
 * The number of helm processes that render at once, for all callers: each takes about 100 MB for a short
 * time. Changes of releases are not limited here but by the run, because members of a group wait for each
 * other.
 */
const MAX_CONCURRENT_RENDERS = 4

/**
 * The render timeout of a release without a timeout. The largest charts take two seconds on an idle machine.
 */
const RENDER_TIMEOUT_SECONDS = 180

function endless({name, namespace, timeoutSeconds}: Subject): KkError {
  const setting = `kk.releases.${name}.timeout`
  const limit =
    timeoutSeconds === undefined ? `${RENDER_TIMEOUT_SECONDS} s` : `${timeoutSeconds} s, its ${setting}`
  return new KkError(
    'KK_RENDER',
    `${namespace}/${name}: the chart does not render: helm was terminated after ${limit}`,
    {
      hint: `look for an endless loop in the templates of ${name}: range, until, or a template that includes itself; if it only needs more time, set ${setting}`,
    },
  )
}

/**
 * Go settings for helm processes that only render: they are short-lived, and garbage collection takes a fifth
 * of their time.
 */
const SHORT_LIVED = {GOGC: '800', GOMEMLIMIT: '512MiB'}

/** Returns the user's own settings of Go's memory management, which take precedence. */
function userSettings(env: ProcessEnvironment): Record<string, string> {
  const settings = Object.keys(SHORT_LIVED).flatMap((name) => (env[name] ? [[name, env[name]]] : []))
  return Object.fromEntries(settings)
}

function failed(command: HelmCommand, call: Subject, {stdout, stderr, endedBy}: HelmOutcome): KkError {
  // On standard output, helm test prints the status of the release, with the chart's notes.
  const output = command === 'test' ? '' : stdout
  const {mask = (text) => text} = call
  const own = redactor(call.values)
  const redact = (text: string) => redactTemplateErrors(mask(own(text)))
  return helmFailure({command, call, stdout: output, stderr, endedBy, redact})
}

function terminated(command: HelmCommand, call: Subject, outcome: HelmOutcome): KkError {
  const state = outcome.killed
    ? 'it did not exit in time and was killed; the release may be left pending'
    : ENDED[command]
  return new KkError(
    'KK_INTERRUPTED',
    `${call.namespace}/${call.name}: helm ${command} was terminated: ${state}`,
    {
      hint: 'run the same command again: kk checks the cluster first',
      log: failed(command, call, outcome).log,
    },
  )
}

/** Helm 4.2: only cmd/install.go and cmd/upgrade.go handle the signal. */
const ENDED: Readonly<Record<HelmCommand, string>> = {
  install: 'it had time to mark the revision as failed',
  upgrade: 'it had time to mark the revision as failed',
  rollback: 'it ended at once; the release may be left pending',
  uninstall: 'it ended at once; its removal may not have ended',
  test: 'it ended at once; pods of the tests may be left',
  template: 'it changes nothing',
}

function notStarted(command: HelmCommand, call: Subject): KkError {
  return new KkError('KK_INTERRUPTED', `${call.namespace}/${call.name}: helm ${command} was not started`)
}

/** Characters that JSON does not escape and that YAML 1.1 reads as a line break or a mark, or rejects. */
const MISREAD = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/**
 * Returns values as JSON that Helm's YAML reader reads back unchanged: one line, with ASCII controls escaped,
 * for standard input. Helm 4.2.4 reads a file without a final line break as empty if its length is a multiple
 * of 4096 bytes.
 */
export function valuesJson(values: Values): string {
  return `${JSON.stringify(values).replace(MISREAD, escaped)}\n`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Makes helm treat a revision as the deployed last one of a release, regardless of the cluster. With these
 * variables, helm keeps releases in memory, reads the existing ones from a file, and writes nothing to the
 * cluster (helm 3.21 and 4.2: loadReleasesInMemory). Rejects with `KK_FILE`.
 */
async function withHistory<T>(
  {name, namespace}: Pick<ReleaseCall, 'name' | 'namespace'>,
  revision: number,
  use: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const directory = await temporaryDirectory('kk-history-')
  try {
    const path = join(directory.path, 'releases.json')
    const releases = [{name, namespace, version: revision, info: {status: 'deployed'}}]
    await directory.fill(() => writeFile(path, JSON.stringify(releases)))
    return await use({HELM_DRIVER: 'memory', HELM_MEMORY_DRIVER_DATA: path})
  } finally {
    await directory.remove()
  }
}

interface ReleaseJson {
  readonly version: number
  readonly info: {readonly status: string}
  readonly manifest?: string
  readonly hooks?: readonly {readonly manifest: string; readonly events?: readonly string[]}[]
}

/** Returns the needed fields of helm's JSON output, which contains the whole chart. */
function changedRelease(stdout: string, call: ReleaseCall): ChangedRelease {
  return readRelease(stdout, call, (release) => ({
    revision: release.version,
    status: release.info.status,
    manifest: release.manifest ?? '',
    hooks: (release.hooks ?? []).map((hook) => hook.manifest),
  }))
}

/** Returns the objects and hooks of a dry run, as `helm template --skip-tests` prints them. */
function previewedStream(stdout: string, call: ReleaseCall): string {
  return readRelease(stdout, call, ({manifest = '', hooks = []}) => {
    const hooksToRun = hooks.filter(({events = []}) => !events.includes('test'))
    return [manifest, ...hooksToRun.map((hook) => hook.manifest)].join('\n---\n')
  })
}

/** Parses the JSON of helm's output. A cancelled helm prints a sentence next to it. */
function readRelease<T>(stdout: string, call: ReleaseCall, read: (release: ReleaseJson) => T): T {
  const json = stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)
  try {
    return read(JSON.parse(json))
  } catch {
    // No cause: a SyntaxError quotes the output, which contains values.
    throw new KkError(
      'KK_HELM_FAILED',
      `${call.namespace}/${call.name}: helm succeeded, but printed no release`,
      {hint: 'run the same command again: kk checks the cluster first'},
    )
  }
}
