import {resolve} from 'node:path'
import type {JsonSchema} from '../../../environment/schema.ts'
import {validate} from '../../../environment/validate.ts'
import {KkError} from '../../../errors.ts'
import {redactLines} from '../../../helm/redact/redact-lines.ts'
import type {Values} from '../../../release.ts'
import type {FactName} from '../../facts/facts.ts'
import {findUnstorable} from '../../storable.ts'
import {definePlugin, type Plugin, type PluginDefinition} from '../plugin.ts'
import {ANSWER_SCHEMA, DECLARATION_SCHEMA} from './schema.ts'

export const PROTOCOL = 'kk.openstack.org/plugin/v1'
const TIMEOUT_MILLISECONDS = 10_000
/** A program that is told to end has this long to do so. */
const GRACE_MILLISECONDS = 1_000
const OUTPUT_LIMIT = 4_000_000
const LOG_LINES = 10
/** Nothing else of kk's environment reaches the program: what else is there may be secret. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ']

/** The plugin that a program is, by what it says of itself. Rejects with `KK_PLUGIN`. */
export async function programPlugin(file: string): Promise<Plugin> {
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

/** One request, one process, in a group of its own, so that all of it ends with the time that it has. */
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
    const hint = `try it by itself: echo '${JSON.stringify({apiVersion: PROTOCOL, ...request})}' | ${file}`
    throw new KkError('KK_PLUGIN', `the plugin ${file} ${what}`, {hint, log})
  }
  if (result.timedOut) return fail(`did not answer within ${TIMEOUT_MILLISECONDS / 1000} s`)
  if (result.isMaxBuffer) return fail(`answered with more than ${OUTPUT_LIMIT / 1e6} MB`)
  if (result.exitCode !== 0) {
    return fail(
      `failed: ${result.exitCode === undefined ? (result.code ?? result.signal) : `exit code ${result.exitCode}`}`,
    )
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
  if (problem) return fail(wrongly(problem.path, `expected ${problem.expected}, got ${problem.got}`))
  const unstorable = findUnstorable(answer)
  if (unstorable) return fail(wrongly(unstorable.path, unstorable.problem))
  return answer
}

function wrongly(path: readonly (string | number)[], problem: string): string {
  return `answered wrongly: ${path.length > 0 ? `${path.join('.')}: ` : ''}${problem}`
}
