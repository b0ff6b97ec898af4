import {KkError} from '../../base/errors.ts'
import {chartSbom, SBOM_TYPE} from '../../charts/publishing/chart-sbom.ts'
import type {PackedChart} from '../../charts/publishing/pack-chart.ts'
import {trimSlash} from '../../helm/package-url.ts'
import type {Distribution} from '../../images/registry/distribution.ts'
import {type Attachment, attach, isAttached} from '../../images/registry/referrers.ts'
import type {PublishedChart} from './publish-charts.ts'

/** A published chart; `new` if its SBOM is attached now, `there` if it already was. */
export interface AttachedSbom {
  readonly name: string
  readonly version: string
  readonly state: 'new' | 'there'
}

/**
 * Returns the SBOMs that `attachSboms` would attach after publication; writes nothing. Rejects as
 * `attachSboms`.
 */
export async function planSboms(
  charts: readonly PublishedChart[],
  url: string,
  store: Distribution,
): Promise<readonly AttachedSbom[]> {
  const planned: AttachedSbom[] = []
  for (const {packed, state} of charts) {
    const {name, version} = packed
    // A chart that is published now gets a new manifest.
    const isThere =
      state === 'there' && (await isAttached(store, ...(await sbomAttachment(packed, url, store))))
    planned.push({name, version, state: isThere ? 'there' : 'new'})
  }
  return planned
}

/** Attaches SBOMs to charts in a registry (`oci://HOST/PATH`). Rejects with `KK_IMAGE`. */
export async function attachSboms(
  packages: readonly PackedChart[],
  url: string,
  store: Distribution,
): Promise<readonly AttachedSbom[]> {
  const attached: AttachedSbom[] = []
  for (const packed of packages) {
    const {name, version} = packed
    const state = await attach(store, ...(await sbomAttachment(packed, url, store)))
    attached.push({name, version, state})
  }
  return attached
}

/** Returns the repository of a published chart, and its SBOM as an attachment to its manifest. */
async function sbomAttachment(
  packed: PackedChart,
  url: string,
  store: Distribution,
): Promise<readonly [string, Attachment]> {
  const {name, version} = packed
  const folder = trimSlash(url).replace(/^oci:\/\/[^/]+\/?/, '')
  const repository = folder === '' ? name : `${folder}/${name}`
  // Tags cannot contain a plus sign.
  const manifest = await store.manifest(repository, version.replaceAll('+', '_'))
  if (!manifest)
    throw new KkError('KK_IMAGE', `${url} does not have ${name} ${version}`, {
      hint: 'publish it, then attach its SBOM',
    })
  const {mediaType, digest, bytes} = manifest
  return [
    repository,
    {
      subject: {mediaType, digest, size: bytes.length},
      mediaType: SBOM_TYPE,
      bytes: Buffer.from(await chartSbom(packed)),
    },
  ]
}
