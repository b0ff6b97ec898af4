import {KkError} from '../../base/errors.ts'
import {mentioned} from '../../charts/own-files.ts'
import {type VendorOptions, vendorCharts} from '../../charts/vendor-charts.ts'
import type {ReleaseCall} from '../../helm/helm.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {preparedMask} from '../environment-mask.ts'
import type {Prepared} from '../prepare.ts'

/** The charts of a run, copied with their libraries into a separate directory. */
export interface Vendored {
  /** Returns the release's name, chart and values for helm. */
  call(release: ReleaseId): ReleaseCall
  /** Returns whether a template of its chart asks which kinds the cluster has. */
  asksKinds(release: ReleaseId): boolean
  /** Returns whether a template looks up objects of the cluster. */
  looksUp(release: ReleaseId): boolean
  /** Returns whether a template asks for the number of the revision. */
  asksRevision(release: ReleaseId): boolean
  /** Removes the directory. */
  remove(): Promise<void>
}

/** The words with which templates read something from the cluster. */
const WORDS = ['APIVersions', 'lookup', 'Revision'] as const
type Word = (typeof WORDS)[number]

/**
 * Copies the charts before helm processes run concurrently; never writes to users' directories. Rejects with
 * `KK_FILE`.
 */
export async function vendor(
  prepared: Prepared,
  releases: Iterable<ReleaseId>,
  options?: VendorOptions,
): Promise<Vendored> {
  const directory = await temporaryDirectory('kk-run-')
  const charts = [...releases].map((release) => prepared.releases.get(release)!.chart)
  const copies = await directory
    .fill(() => vendorCharts(charts, directory.path, options))
    .catch(async (error) => {
      await directory.remove()
      throw error
    })
  const words = new Map<ReleaseId, ReadonlySet<Word>>()
  const mentionedWords = (release: ReleaseId) => {
    const cached = words.get(release) ?? mentioned(prepared.releases.get(release)!.chart, WORDS)
    words.set(release, cached)
    return cached
  }
  const mask = preparedMask(prepared)
  return {
    remove: directory.remove,
    asksKinds: (release) => mentionedWords(release).has('APIVersions'),
    looksUp: (release) => mentionedWords(release).has('lookup'),
    asksRevision: (release) => mentionedWords(release).has('Revision'),
    call(release) {
      const {chart, layers, timeoutSeconds} = prepared.releases.get(release)!
      const copy = copies.get(chart.directory)
      if (copy === undefined) throw new KkError('KK_BUG', `the chart of ${release} was not vendored`)
      return {
        name: releaseName(release),
        namespace: releaseNamespace(release),
        chart: copy,
        values: mergedValues(layers),
        timeoutSeconds,
        mask,
      }
    },
  }
}
