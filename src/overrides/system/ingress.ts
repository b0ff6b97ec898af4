import {dig} from '../../base/dig.ts'
import type {Values} from '../../base/values.ts'
import type {DialectChart} from '../../charts/dialect.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/**
 * The chart of kk's own ingress controller, and the Secret with the certificate of the release of its name.
 */
const CONTROLLER = 'ingress'
export const SHARED_CERTIFICATE = 'ingress-tls'

/** Returns true if a namespace has a release of kk's own ingress controller. */
export function hasController(
  namespace: string,
  charts: ReadonlyMap<ReleaseId, Pick<DialectChart, 'name' | 'dialect'>>,
): boolean {
  return [...charts].some(
    ([release, {name, dialect}]) =>
      dialect === 'kk' && name === CONTROLLER && releaseNamespace(release) === namespace,
  )
}

/**
 * Returns the values with which the Ingresses of a release have its own certificate: without kk's controller,
 * which serves all names with one, no release has the shared certificate.
 */
export function ingressCertificate(
  release: ReleaseId,
  charts: ReadonlyMap<ReleaseId, DialectChart>,
  global: Values | undefined,
): Values {
  const isNeeded = dig(global, 'ingress', 'enabled') === true && dig(global, 'tls', 'public') === true
  if (!isNeeded || charts.get(release)?.dialect !== 'kk') return {}
  if (hasController(releaseNamespace(release), charts)) return {}
  return {global: {ingress: {certificate: 'release'}}}
}
