import {dig} from '../../base/dig.ts'
import {isMap, type Values} from '../../base/values.ts'

interface Expanded {
  readonly applications: readonly Values[]
  /** A sentence for each set that only its controller can expand. */
  readonly lost: readonly string[]
}

/** Returns the Applications of the ApplicationSets among objects whose generators are lists; others ask a cluster, or git. */
export function expandedSets(objects: readonly Values[]): Expanded {
  const sets = objects.filter(
    ({apiVersion, kind}) => kind === 'ApplicationSet' && String(apiVersion).startsWith('argoproj.io/'),
  )
  const expanded = sets.map(expand)
  return {
    applications: expanded.filter((each) => typeof each !== 'string').flat(),
    lost: expanded.filter((each) => typeof each === 'string'),
  }
}

function expand({metadata, spec}: Values): readonly Values[] | string {
  const why = 'ask the cluster for its Applications: kubectl get applications --output yaml'
  const name = dig(metadata, 'name')
  const generators = dig(spec, 'generators')
  const template = dig(spec, 'template')
  const lists = Array.isArray(generators) ? generators.map((each) => dig(each, 'list', 'elements')) : []
  if (lists.length === 0 || !lists.every(Array.isArray) || !isMap(template))
    return `the ApplicationSet ${name} is left out: its generators are no lists; ${why}`
  const applications = lists.flat().map((element) => {
    const filled = filledWith(template, isMap(element) ? element : {}) as Values
    return {apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', ...filled}
  })
  if (JSON.stringify(applications).includes('{{'))
    return `the ApplicationSet ${name} is left out: its template is more than names of values; ${why}`
  return applications
}

/** Returns a template with `{{name}}` and `{{.name}}` replaced, as the fast and the Go templates of Argo CD have them. */
function filledWith(template: unknown, element: Values): unknown {
  if (typeof template === 'string')
    return template.replaceAll(/\{\{\s*\.?([\w.]+)\s*\}\}/g, (whole, path: string) => {
      const value = dig(element, ...path.split('.'))
      return value === undefined || isMap(value) ? whole : String(value)
    })
  if (Array.isArray(template)) return template.map((each) => filledWith(each, element))
  if (!isMap(template)) return template
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [filledWith(key, element), filledWith(value, element)]),
  )
}
