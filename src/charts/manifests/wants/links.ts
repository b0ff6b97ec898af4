import type {StatedWant, Waiting} from './stated-want.ts'

const SUFFIX = '_SERVICE_HOST'
const LINK = /\b([A-Z][A-Z0-9_]*)_SERVICE_HOST\b/g
/** A variable that gets its value here: of a container, of a shell, or of a map that becomes variables. */
const SET =
  /(?<![$\w{(])([A-Z][A-Z0-9_]*)_SERVICE_HOST(?==(?!=)|["']?:\s)|^name: ([A-Z][A-Z0-9_]*)_SERVICE_HOST$/gm

/**
 * `KEYSTONE_API_SERVICE_HOST`: Kubernetes sets it in a pod that is younger than the Service, and in no other. `own` are
 * those that the chart sets itself: they are no links.
 */
export function linkWants({text}: Pick<Waiting, 'text'>, own: ReadonlySet<string>): readonly StatedWant[] {
  if (!text.includes(SUFFIX)) return []
  const found = new Set(Array.from(text.matchAll(LINK), ([, variable]) => variable!))
  found.delete('KUBERNETES')
  return [...found]
    .filter((variable) => !own.has(variable))
    .map((variable) => ({
      kind: 'applied',
      target: {what: 'link', variable},
      text: `reads ${variable}_SERVICE_HOST, which is set only if the Service is older than the pod`,
    }))
}

/** The variables of that form that a text sets. */
export function linksSetIn(text: string): readonly string[] {
  if (!text.includes(SUFFIX)) return []
  return Array.from(text.matchAll(SET), ([, set, named]) => (set ?? named)!)
}
