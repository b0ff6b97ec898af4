import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {ApiServer} from '../../../src/kubernetes/api/api-server.ts'
import type {Objects} from '../../../src/kubernetes/objects/objects.ts'
import {driverNotes, expectSuspended, presentDrivers} from '../../../src/verbs/observation/present-drivers.ts'
import {port} from '../../kubernetes/support/port.ts'

const RELEASE = 'openstack/memcached'

function helmRelease(name: string, spec: object = {}) {
  return {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: {name, namespace: 'flux-system'},
    spec: {releaseName: 'memcached', targetNamespace: 'openstack', storageNamespace: 'openstack', ...spec},
  }
}

/** A cluster with these HelmReleases; one without the kind; or one that refuses to list them. */
function clusterWith(
  found: readonly object[] | undefined | KkError,
  kinds: readonly string[] = [],
  served = 'helm.toolkit.fluxcd.io/v2',
) {
  const asked: string[] = []
  const list = async ({kind, apiVersion}: {readonly kind: string; readonly apiVersion: string}) => {
    asked.push(`${apiVersion}/${kind}`)
    if (found instanceof KkError) throw found
    return apiVersion === served ? found : undefined
  }
  return {
    asked,
    context: 'production',
    apiServer: port<ApiServer>({customKinds: async () => kinds}),
    objects: {list} as unknown as Objects,
  }
}

const FORBIDDEN = new KkError('KK_FORBIDDEN', 'list helmreleases: refused', {hint: 'ask for the right'})
const KIND = 'helm.toolkit.fluxcd.io/v2/HelmRelease'

describe('the HelmReleases that manage releases', () => {
  it('are none if the cluster does not serve the kind, even without permission to list it', async () => {
    expect(await presentDrivers(clusterWith(undefined), 'HelmRelease')).toEqual({drivers: []})
    expect(await presentDrivers(clusterWith(FORBIDDEN), 'HelmRelease')).toEqual({drivers: []})
  })

  it('are unknown without permission to list them, with a note', async () => {
    const {drivers, note} = await presentDrivers(clusterWith(FORBIDDEN, [KIND]), 'HelmRelease')

    expect(drivers).toEqual([])
    expect(note).toBe(
      'which HelmReleases install releases on production is unknown: list helmreleases: refused',
    )
  })

  it.each(['v2beta1', 'v2beta2'])('are found if the cluster serves only %s', async (version) => {
    const served = `helm.toolkit.fluxcd.io/${version}`
    const kinds = [served, `${served}/HelmRelease`, 'source.toolkit.fluxcd.io/v1/HelmChart']
    const cluster = clusterWith([{...helmRelease('web'), apiVersion: served}], kinds, served)

    const {drivers} = await presentDrivers(cluster, 'HelmRelease')

    expect(drivers).toMatchObject([{name: 'web', release: RELEASE}])
    expect(cluster.asked).toEqual([KIND, `${served}/HelmRelease`])
    expect(await presentDrivers(clusterWith(FORBIDDEN, kinds, served), 'HelmRelease')).toMatchObject({
      drivers: [],
      note: expect.stringContaining('is unknown'),
    })
  })

  it('are not requested if kk installed all releases', async () => {
    const cluster = clusterWith([helmRelease('web')])

    expect(await driverNotes([], cluster)).toEqual([])
    expect(cluster.asked).toEqual([])
  })

  it('are reported, and an adoption is refused until they are suspended', async () => {
    const cluster = clusterWith([helmRelease('web'), helmRelease('other', {releaseName: 'other'})])

    expect(await driverNotes([RELEASE], cluster)).toEqual([
      'HelmRelease flux-system/web drives openstack/memcached: kk adopt is refused until it is suspended',
    ])
    await expect(expectSuspended([RELEASE], cluster)).rejects.toMatchObject({
      code: 'KK_HANDED_OVER',
      exit: 3,
      message: 'HelmRelease flux-system/web drives openstack/memcached, and would undo what kk changes',
      hint: expect.stringContaining('flux suspend helmrelease web -n flux-system'),
    })
  })

  it('are noted if suspended, and ignored if they are for another cluster', async () => {
    const suspended = clusterWith([helmRelease('web', {suspend: true})])
    const elsewhere = clusterWith([helmRelease('web', {kubeConfig: {secretRef: {name: 'edge'}}})])

    expect(await expectSuspended([RELEASE], suspended)).toEqual([
      'HelmRelease flux-system/web drives openstack/memcached, but is suspended: delete it before it is resumed',
    ])
    expect(await expectSuspended([RELEASE], elsewhere)).toEqual([])
  })
})
