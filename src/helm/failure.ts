import {type ErrorCode, KkError} from '../base/errors.ts'
import {type ReleaseId, releaseId} from '../release.ts'
import type {ReleaseCall} from './helm.ts'
import {BrokenSchema, schemaProblems, sortedProblems} from './schema-problems.ts'

export type HelmCommand = 'install' | 'upgrade' | 'rollback' | 'uninstall' | 'test' | 'template'

interface Failure {
  readonly command: HelmCommand
  readonly call: Pick<ReleaseCall, 'name' | 'namespace'>
  readonly stdout: string
  readonly stderr: string
  /** The signal that ended helm, if any. */
  readonly endedBy?: string | undefined
  readonly redact: (text: string) => string
}

interface Kind {
  readonly pattern: RegExp
  readonly code: ErrorCode
  readonly summary: string
  readonly hint: (name: string, command: HelmCommand) => string
}

/** The `KK_RENDER` error of a template that a chart includes and that is not defined, with its name. */
export class MissingTemplate extends KkError {
  readonly of: ReleaseId
  readonly template: string

  constructor(
    call: Failure['call'],
    message: string,
    details: {hint: string; log: readonly string[]; template: string; cause?: unknown},
  ) {
    super('KK_RENDER', message, details)
    this.of = releaseId(call.namespace, call.name)
    this.template = details.template
  }
}

/** Go: text/template, exec.go. */
const NO_TEMPLATE = /no template "([^"]+)" associated with template/

const MAX_LOG_LINES = 20

/**
 * The order matters: a message from a chart can contain any of the later patterns. Helm 3 and 4 differ in
 * case.
 */
const KINDS: readonly Kind[] = [
  {
    // If the values violate the schema, helm lists the problems, each after a dash.
    pattern:
      /values don't meet the specifications of the schema\(s\) in the following chart\(s\):\s*\n\S+:\n(?!\s*- )/i,
    code: 'KK_CHART',
    summary: 'values.schema.json of the chart cannot be used',
    hint: (name) => `correct the schema in the chart of ${name}: its references and its draft`,
  },
  {
    pattern: /values don't meet the specifications of the schema/i,
    code: 'KK_VALUES',
    summary: 'the values break the schema of the chart',
    hint: (name) => `correct the values of ${name}; "kk values show ${name}" prints what helm gets`,
  },
  {
    pattern:
      /execution error at \(|parse error at \(|YAML parse error on|template: \S+:\d+|\n\s+executing "|error calling include/i,
    code: 'KK_RENDER',
    summary: 'the chart does not render',
    hint: (name) =>
      `correct the template or the values of ${name}; "kk values show ${name}" prints what helm gets`,
  },
  {
    pattern:
      /charts are not installable|incompatible with Kubernetes|Chart\.yaml file is missing|unable to detect chart|validation: chart\.|missing in charts\/ directory|could not find template|cannot load \S+\.ya?ml|unsupported chart version/i,
    code: 'KK_CHART',
    summary: 'the chart cannot be used',
    hint: (name) => `correct the chart of ${name}; "helm lint" prints details`,
  },
  {
    // Go names the request whose connection failed: net/url, Error. A request of the API server to a webhook
    // is excluded.
    pattern:
      /cluster unreachable|(?<!call webhook: )\b(?:Get|Post|Put|Patch|Delete) "https?:\/\/[^"]+": .*(?:\bEOF|connection re(?:fused|set by peer)|connection lost|i\/o timeout|TLS handshake timeout|no route to host|broken pipe)$/im,
    code: 'KK_UNREACHABLE',
    summary: 'helm cannot reach the cluster',
    hint: () => 'check the context, then run the same command again: kk continues where it stopped',
  },
  {
    pattern: /is forbidden: User /,
    code: 'KK_FORBIDDEN',
    summary: 'a permission is missing',
    hint: () => 'ask for the permission that the message names, then run the same command again',
  },
  {
    pattern: /apply failed with \d+ conflicts?: conflicts? with "/i,
    code: 'KK_CONFLICT',
    summary: 'another field manager owns a field that helm sets',
    hint: conflictHint,
  },
  {
    pattern: /cannot re-?use a name that is still in use|release: already exists|release: not found/i,
    code: 'KK_RACED',
    summary: 'another process changed the release in the meantime',
    hint: () => 'run the same command again: kk checks the cluster first',
  },
  {
    pattern: /another operation \(install\/upgrade\/rollback\) is in progress/i,
    code: 'KK_PENDING',
    summary: 'another operation on the release has not ended',
    hint: () => 'wait for it, or find the process that runs it, then run the same command again',
  },
]

const NOT_BY_KK = 'not by kk'

/**
 * Returns true if a message of `helmFailure` reports that another process killed helm, e.g. the OOM killer.
 */
export function isOfKilledHelm(message: string): boolean {
  return message.includes(`, ${NOT_BY_KK}`)
}

/** Returns the error for a failed helm command. `log` contains its last lines, with secrets masked. */
export function helmFailure({command, call, stdout, stderr, endedBy, redact}: Failure): KkError {
  const output = redact(withoutColour(`${stdout === '' || isJson(stdout) ? '' : `${stdout}\n`}${stderr}`))
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !NOISE.test(line))
  const kind = KINDS.find(({pattern}) => pattern.test(output))
  const subject = command === 'template' ? call.name : `${call.namespace}/${call.name}`
  // The message about a violated schema already contains all of helm's output.
  const isComplete = kind?.code === 'KK_VALUES'
  const log = (isComplete ? lines.slice(0, Math.max(0, errorLine(lines))) : lines).slice(-MAX_LOG_LINES)
  if (kind === undefined && endedBy !== undefined) {
    return new KkError(
      'KK_HELM_FAILED',
      `${subject}: helm ${command} was ended by ${endedBy}, ${NOT_BY_KK}`,
      {
        hint: 'find out which process killed it (out of memory?), then run the same command again',
        log,
      },
    )
  }
  if (kind && isComplete) {
    const problems = schemaLines(lines)
    return new BrokenSchema(call, `${subject}: ${kind.summary}: ${errorReason(problems)}`, {
      hint: kind.hint(call.name, command),
      log,
      problems: schemaProblems(problems.slice(1)),
    })
  }
  const [, template] = NO_TEMPLATE.exec(output) ?? []
  if (kind?.code === 'KK_RENDER' && template !== undefined) {
    const message = `${subject}: ${kind.summary}: ${errorReason(lines)}`
    return new MissingTemplate(call, message, {hint: kind.hint(call.name, command), log, template})
  }
  return new KkError(
    kind?.code ?? 'KK_HELM_FAILED',
    `${subject}: ${kind?.summary ?? `helm ${command} failed`}: ${errorReason(lines)}`,
    {
      hint:
        kind?.hint(call.name, command) ??
        'correct the cause that helm names, then run the same command again',
      log,
    },
  )
}

/**
 * Returns the hint for a field conflict. Only upgrades can force it; after a failed rollback, upgrade to the
 * older inputs.
 */
function conflictHint(name: string, command: HelmCommand): string {
  const force = `kk upgrade ${name} --force-conflicts`
  return command === 'rollback'
    ? `take the field from the manager that the message names, then run the same command again; or bring the file back to the older inputs, and: ${force}`
    : `remove the field from the values of ${name}, or take it over with --force-conflicts: ${force}`
}

const NOISE = /^Use --debug flag to render out invalid YAML/

/**
 * Returns helm's last `Error:` and what follows it, on one line: helm 4 breaks template errors over several
 * lines, schema errors have one problem per line.
 */
function errorReason(lines: readonly string[]): string {
  const start = errorLine(lines)
  if (start < 0) return lines.at(-1)?.trim() ?? 'it printed nothing'
  const text = lines.slice(start).map((line) => line.trim())
  return text
    .join(' ')
    .replace(/^Error: (?:(?:INSTALLATION|UPGRADE) FAILED: )?/, '')
    .replace(/^values don't meet the specifications of the schema\(s\) in the following chart\(s\): /, '')
    .replace(/: - at /g, ': at ')
    .replace(/ - at /g, '; at ')
}

function schemaLines(lines: readonly string[]): readonly string[] {
  const start = errorLine(lines)
  return start < 0 ? lines : [lines[start]!, ...sortedProblems(lines.slice(start + 1))]
}

/** Returns the index of helm's last error line; -1 if there is none. */
function errorLine(lines: readonly string[]): number {
  return lines.findLastIndex((line) => /^Error: /.test(line))
}

function withoutColour(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape sequences begin with one
  return text.replace(/\u001b\[[0-9;]*m/g, '')
}

function isJson(text: string): boolean {
  return text.trimStart().startsWith('{')
}
