import {dig, digText} from '../../base/dig.ts'
import {isMap, type Values} from '../../base/values.ts'
import {applySet} from '../../overrides/strvals.ts'

interface Application {
  readonly name: string
  readonly spec: Values
  readonly source: Values
}

/** Values, and a sentence for each parameter that does not come through as it is. */
interface Parameters {
  readonly values: Values
  readonly lost: readonly string[]
}

/**
 * Returns values with the parameters of an Application laid over them, as Argo CD gives them to helm with `--set` and
 * `--set-string` (reposerver/repository helmTemplate, util/helm cleanSetParameters). Throws `KK_VALUES`.
 */
export function withParameters(
  below: Values,
  parameters: unknown,
  {name: of, ...application}: Application,
): Parameters {
  const variables = variablesOf(of, application)
  const lost: string[] = []
  let values = below
  for (const {name, value, forceString} of Array.isArray(parameters) ? parameters.filter(isMap) : []) {
    const what = `the parameter ${name} of ${of}`
    const {text, unknown, empty} = expanded(String(value ?? ''), variables)
    if (unknown.length > 0) {
      lost.push(`${what}: ${unknown.join(', ')} is known to Argo CD alone; state the value`)
      continue
    }
    lost.push(
      ...empty.map((each) => `${each} in ${what} is empty, as in Argo CD, which knows no such variable`),
    )
    const mode = forceString === true ? 'string' : 'typed'
    values = applySet(`${name}=${escaped(text)}`, values, {mode, source: `parameters of ${of}`})
    if (mode === 'typed' && isLargeInteger(text))
      lost.push(
        `${what} is a number, which a template without int prints with an exponent here, as in any file of values: put it in quotes if the chart takes a text`,
      )
  }
  return {values, lost}
}

/** Argo CD escapes commas outside of a list, unless they are escaped; backslashes keep what they mean to helm. */
function escaped(value: string): string {
  return value.startsWith('{') && value.endsWith('}') ? value : value.replaceAll(/(?<!\\),/g, '\\,')
}

/** The variables of a build (Argo CD: docs, build environment); undefined for those that only Argo CD knows. */
function variablesOf(
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
  /** Variables that there are none of, and that become nothing. */
  readonly empty: readonly string[]
}

/** `$name`, `${name}`, or one special character, as Go's os.Expand reads them; `${` without an end, and `${}`, are eaten. */
const VARIABLE = /\$(?:\{([*#$@!?\-0-9]|[^}]+)\}|(\{\}?)|([*#$@!?\-0-9]|\w+))/g

/** Argo CD: Env.Envsubst, which reads `$$` as a dollar. */
function expanded(value: string, variables: ReadonlyMap<string, string | undefined>): Expanded {
  const unknown: string[] = []
  const empty: string[] = []
  const text = value.replaceAll(VARIABLE, (whole, braced, eaten, bare) => {
    if (eaten !== undefined) return ''
    const name: string = braced ?? bare
    if (name === '$') return '$'
    if (!variables.has(name)) empty.push(whole)
    else if (variables.get(name) === undefined) unknown.push(whole)
    return variables.get(name) ?? ''
  })
  return {text, unknown, empty}
}

/** Helm's `--set` has an integer where a file of values has a float, and Go prints a float of 1e6 or more with an exponent. */
function isLargeInteger(text: string): boolean {
  return /^-?[1-9]\d*$/.test(text) && Math.abs(Number(text)) >= 1e6
}
