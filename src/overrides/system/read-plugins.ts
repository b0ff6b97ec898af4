import {readdir} from 'node:fs/promises'
import {join, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {type JsonSchema, validate} from '../../base/validate.ts'
import type {Values} from '../../base/values.ts'
import {NAMESPACE} from '../../environment/schema.ts'
import {redactLines} from '../../redact/lines.ts'
import {isExecutable} from '../../state/files/is-executable.ts'
import {describeExit} from '../../state/processes/exit-code.ts'
import type {FactName} from '../facts/facts.ts'
import {FACT_NAMES} from '../facts/schema.ts'
import {findUnstorable} from '../storable.ts'
import {definePlugin, type Plugin, type PluginDefinition} from './plugin.ts'

/**
 * Returns the plugins of a directory, by file name. Each must be executable; `*.md`, directories and hidden
 * files are ignored. Rejects with `KK_FILE` or `KK_PLUGIN` if any is invalid.
 */
export async function readPlugins(directory: string): Promise<readonly Plugin[]> {
  const entries = await readdir(directory, {withFileTypes: true}).catch((cause: NodeJS.ErrnoException) => {
    throw new KkError('KK_FILE', `the directory of plugins ${directory} cannot be read (${cause.code})`, {
      cause,
      hint: 'name a directory with --plugins DIR, or KK_PLUGINS',
    })
  })
  const files = entries
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && !entry.name.endsWith('.md'))
    .map(({name}) => join(directory, name))
    .sort()
  const plugins = await Promise.all(files.map(readPlugin))
  refuseDuplicates(plugins)
  return plugins
}

async function readPlugin(file: string): Promise<Plugin> {
  if (isExecutable(file)) return programPlugin(file)
  if (/\.ya?ml$/.test(file)) throw ruleFile(file)
  throw new KkError('KK_PLUGIN', `${file} is not a program: expected a file that can be executed`, {
    hint: `make it executable (chmod +x ${file}), or remove it from the directory`,
  })
}

/** Returns the error for a rule file, a kind of plugin that kk no longer reads. */
function ruleFile(file: string): KkError {
  return new KkError('KK_PLUGIN', `${file} is a rule file: plugins are programs now, and kk reads no rules`, {
    hint: [
      'convert it to a program that kk calls with JSON: chart, namespaces, reads and secrets go into its answer to "describe",',
      'and each rule into the values that it answers to "overrides", with an if in the place of when and facts["x"] in that of $(x);',
      'kk docs writing-a-plugin has one to start from',
    ].join(' '),
  })
}

function refuseDuplicates(plugins: readonly Plugin[]): void {
  const first = new Map<string, Plugin>()
  for (const plugin of plugins) {
    const other = first.get(plugin.chart)
    if (other) {
      throw new KkError(
        'KK_PLUGIN',
        `${other.file} and ${plugin.file} are both for the chart ${plugin.chart}`,
        {
          hint: 'keep one of them',
        },
      )
    }
    first.set(plugin.chart, plugin)
  }
}

const PROTOCOL = 'kk.openstack.org/plugin/v1'
const TIMEOUT_MILLISECONDS = 10_000
/** The time that a program has to end after SIGTERM, in milliseconds. */
const GRACE_MILLISECONDS = 1_000
const OUTPUT_LIMIT = 4_000_000
const LOG_LINES = 10
/** The environment variables that the program gets; all others may be secret. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ']

/** Returns the plugin that a program declares. Rejects with `KK_PLUGIN`. */
async function programPlugin(file: string): Promise<Plugin> {
  const declared = (await ask(file, {call: 'describe'}, DECLARATION_SCHEMA)) as Omit<
    PluginDefinition<FactName>,
    'overrides' | 'reads'
  > & {readonly reads?: readonly FactName[]}
  return {
    ...definePlugin({...declared, reads: declared.reads ?? [], overrides: () => ({})}),
    file,
    async overrides(facts, namespace) {
      const {values} = (await ask(file, {call: 'overrides', namespace, facts}, ANSWER_SCHEMA)) as {
        readonly values: Values
      }
      return values
    },
  }
}

/**
 * Sends one request to a new process in its own process group, so that the timeout also ends its children.
 */
async function ask(file: string, request: object, schema: JsonSchema): Promise<unknown> {
  const {execa} = await import('execa')
  const result = await execa(resolve(file), [], {
    input: JSON.stringify({apiVersion: PROTOCOL, ...request}),
    env: Object.fromEntries(INHERITED.flatMap((name) => [[name, process.env[name]]])),
    extendEnv: false,
    timeout: TIMEOUT_MILLISECONDS,
    forceKillAfterDelay: GRACE_MILLISECONDS,
    killDescendants: true,
    maxBuffer: OUTPUT_LIMIT,
    reject: false,
  })
  const log = redactLines(result.stderr).split('\n').filter(Boolean).slice(-LOG_LINES)
  const fail = (what: string): never => {
    const hint = `run it separately: echo '${JSON.stringify({apiVersion: PROTOCOL, ...request})}' | ${file}`
    throw new KkError('KK_PLUGIN', `the plugin ${file} ${what}`, {hint, log})
  }
  if (result.timedOut) return fail(`did not answer within ${TIMEOUT_MILLISECONDS / 1000} s`)
  if (result.isMaxBuffer) return fail(`answered with more than ${OUTPUT_LIMIT / 1e6} MB`)
  if (result.exitCode !== 0) {
    return fail(`failed: ${describeExit(result) ?? result.code}`)
  }
  return checked(result.stdout, schema, fail)
}

function checked(text: string, schema: JsonSchema, fail: (what: string) => never): unknown {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return fail('answered with something that is not JSON')
  }
  const [problem] = validate(schema, answer)
  if (problem) return fail(invalidAnswer(problem.path, `expected ${problem.expected}, got ${problem.got}`))
  const unstorable = findUnstorable(answer)
  if (unstorable) return fail(invalidAnswer(unstorable.path, unstorable.problem))
  return answer
}

function invalidAnswer(path: readonly (string | number)[], problem: string): string {
  return `answered wrongly: ${path.length > 0 ? `${path.join('.')}: ` : ''}${problem}`
}

const FACT_NAME = {
  title: 'the name of a fact',
  type: 'string',
  enum: FACT_NAMES,
} as const satisfies JsonSchema

const STRINGS = {
  title: 'a list of strings',
  type: 'array',
  items: {title: 'a string', type: 'string', pattern: '.'},
} as const

/** The declaration of a program: its answer to `describe`. */
const DECLARATION = {
  chart: {
    title: 'the name of a chart',
    description: 'The chart that the plugin is for.',
    type: 'string',
    pattern: '^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$',
  },
  namespaces: {
    title: 'a list of at least one namespace',
    type: 'array',
    items: NAMESPACE,
    minItems: 1,
    description:
      'The namespaces of the chart if there is no environment; defaults to openstack. An environment may use any namespace.',
  },
  reads: {
    title: 'a list of names of facts',
    description: 'The facts that decide the overrides; the plugin gets no other.',
    type: 'array',
    items: FACT_NAME,
  },
  secrets: {
    title: 'a list of secrets',
    description:
      'Passwords and keys that kk should generate once, and the paths at which the chart expects them.',
    type: 'array',
    items: {
      title: '{name, kind, path}',
      type: 'object',
      properties: {
        name: {title: 'a string', type: 'string', pattern: '^[A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?$'},
        kind: {
          title: '"password", "fernet", "uuid", "rsa", "token" or "ceph"',
          type: 'string',
          enum: ['password', 'fernet', 'uuid', 'rsa', 'token', 'ceph'],
        },
        path: {...STRINGS, title: 'a list of keys'},
      },
      required: ['name', 'kind', 'path'],
      additionalProperties: false,
    },
  },
} as const satisfies Record<string, JsonSchema>

const DECLARATION_SCHEMA: JsonSchema = {
  title: '{chart, namespaces, reads, secrets}',
  type: 'object',
  properties: DECLARATION,
  required: ['chart'],
  additionalProperties: false,
}

const ANSWER_SCHEMA: JsonSchema = {
  title: '{values}',
  type: 'object',
  properties: {values: {title: 'a map of values', type: 'object'}},
  required: ['values'],
  additionalProperties: false,
}
