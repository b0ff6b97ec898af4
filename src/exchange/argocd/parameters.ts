import {dig, digText} from '../../base/dig.ts'
import {isMap, type Values} from '../../base/values.ts'
import {applySet} from '../../overrides/strvals.ts'

interface Application {
  readonly name: string
  readonly spec: Values
  readonly source: Values
}

/** Values, and one sentence per parameter that is not imported unchanged. */
interface Parameters {
  readonly values: Values
  readonly lost: readonly string[]
}

/**
 * Returns values with an Application's parameters merged over them, as Argo CD passes them to helm with
 * `--set` and `--set-string` (reposerver/repository helmTemplate, util/helm cleanSetParameters). Throws
 * `KK_VALUES`.
 */
export function withParameters(
  base: Values,
  parameters: unknown,
  {name: of, ...application}: Application,
): Parameters {
  const variables = buildVariables(of, application)
  const lost: string[] = []
  let values = base
  for (const {name, value, forceString} of Array.isArray(parameters) ? parameters.filter(isMap) : []) {
    const description = `the parameter ${name} of ${of}`
    const {text, unknown, empty} = expanded(String(value ?? ''), variables)
    if (unknown.length > 0) {
      lost.push(`${description}: ${unknown.join(', ')} is known only to Argo CD; specify the value`)
      continue
    }
    lost.push(
      ...empty.map((each) => `${each} in ${description} is empty, as in Argo CD, which has no such variable`),
    )
    const mode = forceString === true ? 'string' : 'typed'
    values = applySet(`${name}=${escaped(text)}`, values, {mode, source: `parameters of ${of}`})
    if (mode === 'typed' && isLargeInteger(text))
      lost.push(
        `${description} is a number, which a template without int prints with an exponent, as it does any number of a values file: quote it if the chart expects a string`,
      )
  }
  return {values, lost}
}

/**
 * Argo CD escapes commas outside of lists unless they are already escaped; helm interprets backslashes as
 * usual.
 */
function escaped(value: string): string {
  return value.startsWith('{') && value.endsWith('}') ? value : value.replaceAll(/(?<!\\),/g, '\\,')
}

/**
 * The build environment variables (Argo CD: docs, build environment); undefined if only Argo CD knows the
 * value.
 */
function buildVariables(
  name: string,
  {spec, source}: Omit<Application, 'name'>,
): ReadonlyMap<string, string | undefined> {
  const target = digText(source, 'targetRevision') ?? ''
  return new Map([
    ['ARGOCD_APP_NAME', name],
    ['ARGOCD_APP_NAMESPACE', digText(spec, 'destination', 'namespace') ?? ''],
    ['ARGOCD_APP_PROJECT_NAME', String(dig(spec, 'project') ?? '')],
    ['ARGOCD_APP_SOURCE_PATH', digText(source, 'path') ?? ''],
    ['ARGOCD_APP_SOURCE_REPO_URL', digText(source, 'repoURL') ?? ''],
    ['ARGOCD_APP_SOURCE_TARGET_REVISION', target],
    ...['ARGOCD_APP_REVISION', 'ARGOCD_APP_REVISION_SHORT', 'ARGOCD_APP_REVISION_SHORT_8'].map(
      (each) => [each, undefined] as const,
    ),
    ['KUBE_VERSION', undefined],
    ['KUBE_API_VERSIONS', undefined],
  ])
}

interface Expanded {
  readonly text: string
  /** Variables whose values only Argo CD knows. */
  readonly unknown: readonly string[]
  /** Variables that do not exist; they expand to the empty string. */
  readonly empty: readonly string[]
}

/**
 * `$name`, `${name}`, or one special character, as in Go's os.Expand; an unclosed `${` and `${}` are dropped.
 */
const VARIABLE = /\$(?:\{([*#$@!?\-0-9]|[^}]+)\}|(\{\}?)|([*#$@!?\-0-9]|\w+))/g

/** Argo CD: Env.Envsubst, which expands `$$` to a dollar sign. */
function expanded(value: string, variables: ReadonlyMap<string, string | undefined>): Expanded {
  const unknown: string[] = []
  const empty: string[] = []
  const text = value.replaceAll(VARIABLE, (whole, braced, malformed, bare) => {
    if (malformed !== undefined) return ''
    const name: string = braced ?? bare
    if (name === '$') return '$'
    if (!variables.has(name)) empty.push(whole)
    else if (variables.get(name) === undefined) unknown.push(whole)
    return variables.get(name) ?? ''
  })
  return {text, unknown, empty}
}

/**
 * Helm's `--set` yields an integer, a values file a float, and Go prints floats from 1e6 with an exponent.
 */
function isLargeInteger(text: string): boolean {
  return /^-?[1-9]\d*$/.test(text) && Math.abs(Number(text)) >= 1e6
}
