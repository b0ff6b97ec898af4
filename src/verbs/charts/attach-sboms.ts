import {chartSbom, SBOM_TYPE} from '../../charts/publishing/chart-sbom.ts'
import type {PackedChart} from '../../charts/publishing/pack-chart.ts'
import {KkError} from '../../errors.ts'
import {trimSlash} from '../../helm/package-url.ts'
import type {Distribution} from '../../images/registry/distribution.ts'
import {attach} from '../../images/registry/referrers.ts'

/** A published chart, and whether its SBOM was attached now. */
export interface AttachedSbom {
  readonly name: string
  readonly version: string
  readonly state: 'new' | 'there'
}

/**
 * Attaches to each chart in a folder of a registry (`oci://HOST/PATH`) what it consists of. Rejects with `KK_IMAGE`, also where the
 * registry does not take it.
 */
export async function attachSboms(
  packages: readonly PackedChart[],
  url: string,
  store: Distribution,
): Promise<readonly AttachedSbom[]> {
  const folder = trimSlash(url).replace(/^oci:\/\/[^/]+\/?/, '')
  const attached: AttachedSbom[] = []
  for (const packed of packages) {
    const {name, version} = packed
    const repository = folder === '' ? name : `${folder}/${name}`
    // A tag may have no plus.
    const manifest = await store.manifest(repository, version.replaceAll('+', '_'))
    if (!manifest)
      throw new KkError('KK_IMAGE', `${url} does not have ${name} ${version}`, {
        hint: 'publish it, then attach what it consists of',
      })
    const {mediaType, digest, bytes} = manifest
    const state = await attach(store, repository, {
      subject: {mediaType, digest, size: bytes.length},
      mediaType: SBOM_TYPE,
      bytes: Buffer.from(await chartSbom(packed)),
    })
    attached.push({name, version, state})
  }
  return attached
}
