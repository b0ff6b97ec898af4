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

/** The part of a call that `run` reads; only some commands read values. */
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
  /** The time that an aborted helm may take to end by itself. */
  readonly graceMilliseconds?: number
}

/** A helm binary on one cluster. Starts nothing by itself. Throws `KK_HELM_DRIVER`. */
export function openHelm(options: HelmOptions): Helm {
  const {path, version} = options
  const env = childEnvironment(options.env)
  const inTurn = limiter(RENDERS_AT_ONCE)

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
      ...(isRender ? {timeoutMilliseconds: (call.timeoutSeconds ?? RENDER_SECONDS) * 1000} : {}),
      // Helm swallows SIGTERM while it renders, and a render leaves nothing to be written.
      graceMilliseconds: isRender ? 0 : options.graceMilliseconds,
    })
    if (outcome.exitCode === 0) return outcome.stdout
    if (outcome.timedOut) throw endless(call)
    throw outcome.terminated ? terminated(command, call, outcome) : failed(command, call, outcome)
  }

  /** Whatever the words are, it changes nothing, as `template` does. */
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
        options: {env: {...SHORT_LIVED, ...givenOf(options.env), ...marks}},
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
 * So many helms render at once, whoever asks: each takes about 100 MB for a moment. Those that change a release are as many
 * as the run has actions under way: members of a group wait for each other.
 */
const RENDERS_AT_ONCE = 4

/**
 * The time to render, where the release has no timeout of its own. The largest charts take two seconds, on a machine
 * that has nothing else to do.
 */
const RENDER_SECONDS = 180

function endless({name, namespace, timeoutSeconds}: Subject): KkError {
  const setting = `kk.releases.${name}.timeout`
  const limit = timeoutSeconds === undefined ? `${RENDER_SECONDS} s` : `${timeoutSeconds} s, its ${setting}`
  return new KkError(
    'KK_RENDER',
    `${namespace}/${name}: the chart does not render: helm was ended after ${limit}`,
    {
      hint: `look for a loop without end in the templates of ${name}: range, until, or one that includes itself; if it only needs longer, set ${setting}`,
    },
  )
}

/** A helm that only renders ends before tidying up its memory pays: a fifth of its time. */
const SHORT_LIVED = {GOGC: '800', GOMEMLIMIT: '512MiB'}

/** Returns what the user sets of Go's memory and processors, which counts. */
function givenOf(env: ProcessEnvironment): Record<string, string> {
  const given = Object.keys(SHORT_LIVED).flatMap((name) => (env[name] ? [[name, env[name]]] : []))
  return Object.fromEntries(given)
}

function failed(command: HelmCommand, call: Subject, {stdout, stderr, endedBy}: HelmOutcome): KkError {
  // What helm test prints there is the status of the release, with the notes of its chart.
  const said = command === 'test' ? '' : stdout
  const {mask = (text) => text} = call
  const own = redactor(call.values)
  const redact = (text: string) => redactTemplateErrors(mask(own(text)))
  return helmFailure({command, call, stdout: said, stderr, endedBy, redact})
}

function terminated(command: HelmCommand, call: Subject, outcome: HelmOutcome): KkError {
  const state = outcome.killed
    ? 'it did not end by itself and was killed; the release may be left pending'
    : ENDED[command]
  return new KkError(
    'KK_INTERRUPTED',
    `${call.namespace}/${call.name}: helm ${command} was terminated: ${state}`,
    {
      hint: 'run the same command again: kk looks at the cluster first',
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

/** Characters that JSON leaves bare and YAML 1.1 reads as a line break or a mark, or refuses. */
const MISREAD = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/**
 * Values as JSON text that Helm's YAML reader gives back unchanged: for standard input, one line, ASCII controls escaped. Helm
 * 4.2.4 takes a file without an end of line for empty if its length is a multiple of 4096 bytes.
 */
export function valuesJson(values: Values): string {
  return `${JSON.stringify(values).replace(MISREAD, escaped)}\n`
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Lets helm take a revision of a release for the last one, and for deployed, whatever the cluster has: with these variables it
 * keeps releases in its memory, reads from a file what is there, and writes nothing to the cluster (helm 3.21 and 4.2:
 * loadReleasesInMemory). Rejects with `KK_FILE`.
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

/** Returns the few fields that are kept of helm's answer, which holds the whole chart. */
function changedRelease(stdout: string, call: ReleaseCall): ChangedRelease {
  return readRelease(stdout, call, (release) => ({
    revision: release.version,
    status: release.info.status,
    manifest: release.manifest ?? '',
    hooks: (release.hooks ?? []).map((hook) => hook.manifest),
  }))
}

/** The objects and hooks of a dry run, as `helm template --skip-tests` prints them. */
function previewedStream(stdout: string, call: ReleaseCall): string {
  return readRelease(stdout, call, ({manifest = '', hooks = []}) => {
    const wanted = hooks.filter(({events = []}) => !events.includes('test'))
    return [manifest, ...wanted.map((hook) => hook.manifest)].join('\n---\n')
  })
}

/** A cancelled helm prints a sentence beside its JSON. */
function readRelease<T>(stdout: string, call: ReleaseCall, read: (release: ReleaseJson) => T): T {
  const json = stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1)
  try {
    return read(JSON.parse(json))
  } catch {
    // No cause: a SyntaxError quotes the text, which holds values.
    throw new KkError(
      'KK_HELM_FAILED',
      `${call.namespace}/${call.name}: helm ended well, but printed no release`,
      {hint: 'run the same command again: kk looks at the cluster first'},
    )
  }
}
