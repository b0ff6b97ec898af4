import type {Values} from '../../release.ts'
import type {ImportedRelease} from './imported.ts'

/** What `kk.releases` says of a release, in an environment of this namespace. */
export function releaseSettings(
  {name, namespace, chart, requires, timeout}: ImportedRelease,
  common: string | undefined,
): Values {
  return {
    ...(chart.name !== name && {chart: chart.name}),
    ...(chart.version !== undefined && {version: chart.version}),
    ...(namespace !== common && {namespace}),
    ...(requires.length > 0 && {requires}),
    ...(timeout !== undefined && {timeout}),
  }
}
