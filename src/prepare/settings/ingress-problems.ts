import {isMap, type Values} from '../../base/values.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {hasController, SHARED_CERTIFICATE} from '../../overrides/system/ingress.ts'
import {ingressSettings, tlsSettings} from '../../overrides/tls/certificate-need.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {Prepared} from '../prepare.ts'
import type {SettingProblem} from './setting-problem.ts'

/**
 * Returns a warning for each namespace whose Ingresses have kk's Secret for their certificate, although no
 * release there creates it.
 */
export function ingressProblems({
  releases,
  plugins,
}: Pick<Prepared, 'releases' | 'plugins'>): readonly SettingProblem[] {
  const behind = [...releases].filter(([, {chart, layers}]) => {
    const values = mergedValues(layers)
    if (ingressSettings(values).enabled !== true) return false
    const spoken = plugins.dialectChart(chart)
    return spoken.dialect === 'kk' && isPublic(spoken.at('serves')) && usesShared(values)
  })
  const byNamespace = Map.groupBy(behind, ([release]) => releaseNamespace(release))
  return [...byNamespace].flatMap(([namespace, same]) => {
    const charts = new Map([...releases].map(([id, {chart}]) => [id, plugins.dialectChart(chart)] as const))
    const settings = same.map(([, {layers}]) => tlsSettings(mergedValues(layers)))
    if (hasController(namespace, charts) && settings.some((tls) => tls.public === true)) return []
    return [missingCertificate(same.map(([release]) => release))]
  })
}

function isPublic(serves: unknown): boolean {
  return isMap(serves) && Object.values(serves).some((each) => isMap(each) && each.public !== undefined)
}

/** Returns true if Ingresses have the shared certificate, as `common.context.values` decides. */
function usesShared(values: Values): boolean {
  const {tls_secret: secret, certificate, gateway, annotations} = ingressSettings(values)
  const isIssued = Object.keys(isMap(annotations) ? annotations : {}).some((key) =>
    /^cert-manager\.io\/(?:cluster-)?issuer$/.test(key),
  )
  if (secret || gateway || isIssued || tlsSettings(values).secret) return false
  return certificate !== 'release'
}

function missingCertificate(all: readonly ReleaseId[]): SettingProblem {
  const names = all.map(releaseName).join(', ')
  return {
    release: all[0]!,
    level: 'warning',
    subject: 'Ingresses without a certificate',
    what: `the Ingresses of ${names} have their certificate from the Secret ${SHARED_CERTIFICATE}, which no release creates: set global.tls.public (with tls.issuer for cert-manager), or state the name of a Secret that you create, in global.ingress.tls_secret`,
  }
}
