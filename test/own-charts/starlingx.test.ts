import {describe, expect, it} from 'vitest'
import {useCharts} from './support/charts.ts'
import {find, pods, variable} from './support/objects.ts'

const charts = await useCharts()

describe('an image that was not built by kolla', async () => {
  const objects = await charts.render('fm-rest-api')
  const {containers, volumes = []} = find(objects, 'Deployment', 'fm-rest-api-api').spec!.template!.spec
  const [api] = containers

  it('starts with a script that finds the files of its service', () => {
    const config = volumes.find(({name}) => name === 'config')!

    expect(api!.command).toEqual(['bash', '/scripts/fm-api.sh'])
    expect(api!.volumeMounts).toContainEqual({
      name: 'config',
      mountPath: '/var/lib/kolla/config_files',
      readOnly: true,
    })
    expect(
      config.projected!.sources.flatMap(({configMap}) => configMap!.items.map(({path}) => path)),
    ).toEqual(['fm.conf', 'api-paste.ini'])
    expect(variable(api!, 'OS_DATABASE__CONNECTION')).toBe('fm-rest-api-env/fm.OS_DATABASE__CONNECTION')
  })

  it('creates no accounts, because an image of kk does', () => {
    const imageOf = (name: string) =>
      pods(objects).find(({owner}) => owner.includes(name))!.spec.containers[0]!.image

    for (const name of ['db-create', 'register', 'cleanup']) expect(imageOf(name)).toContain('/toolbox:')
    expect(imageOf('db-sync')).toContain('/stx-fm-rest-api:')
  })

  it('must be specified', async () => {
    expect(await charts.refusal('fm-rest-api', {values: {images: {tags: {fm_rest_api: ''}}}})).toContain(
      'kk has no image of fm-rest-api: name yours in images.tags.fm_rest_api',
    )
  })
})

describe('nova-api-proxy', () => {
  it('uses the same nova endpoint as services, and not its own', async () => {
    const behind = {hosts: {default: 'compute-api'}, namespace: 'compute', port: {api: {default: 18774}}}
    const outside = {hosts: {public: 'nova-api-proxy-proxy'}}
    const everywhere = {hosts: {default: 'nova-api-proxy-proxy'}}

    const asked = [outside, behind].map(async (compute) => {
      const objects = await charts.render('nova-api-proxy', {values: {endpoints: {compute}}})
      const conf = find(objects, 'ConfigMap', 'nova-api-proxy-etc').data!['nova-api-proxy.conf']!
      return /osapi_compute_listen = .*\nosapi_compute_listen_port = .*/.exec(conf)![0]
    })

    expect(await Promise.all(asked)).toEqual([
      'osapi_compute_listen = nova-api.openstack.svc.cluster.local\nosapi_compute_listen_port = 8774',
      'osapi_compute_listen = compute-api.compute.svc.cluster.local\nosapi_compute_listen_port = 18774',
    ])
    expect(await charts.refusal('nova-api-proxy', {values: {endpoints: {compute: everywhere}}})).toContain(
      'name it in endpoints.compute.hosts.public',
    )
  })
})
