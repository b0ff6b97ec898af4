import {describe, expect, it} from 'vitest'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {localOverrides} from '../../../src/verbs/overrides/local-overrides.ts'
import {factsBase} from '../../../src/verbs/overrides/override-base.ts'
import {openService, setting, temporaryStore} from './support/service.ts'

describe('user overrides', () => {
  it('override system overrides, and only they are stored', async () => {
    const {service, store} = await openService({charts: {rabbitmq: []}, controllers: 1})
    const before = await service.show('rabbitmq', 'openstack')

    await service.update('rabbitmq', 'openstack', {...setting('pod.replicas=2'), flag: 'reuse'})

    const after = await service.show('rabbitmq', 'openstack')
    expect(before).toMatchObject({
      systemOverrides: 'pod:\n  replicas: {server: 1}\n',
      userOverrides: '',
      combinedOverrides: 'pod:\n  replicas:\n    server: 1\n',
      etag: undefined,
    })
    expect(after).toMatchObject({
      systemOverrides: 'pod:\n  replicas: {server: 1}\n',
      userOverrides: 'pod:\n  replicas: 2\n',
      combinedOverrides: 'pod:\n  replicas: 2\n',
    })
    expect((await store.list()).map(({userOverrides}) => userOverrides)).toEqual(['pod:\n  replicas: 2\n'])
  })

  it('are gone after a deletion, which is idempotent; system overrides stay', async () => {
    const {service} = await openService()
    await service.update('rabbitmq', 'openstack', setting('a=1'))

    await service.delete('rabbitmq', 'openstack')
    await service.delete('rabbitmq', 'openstack')

    const shown = await service.show('rabbitmq', 'openstack')
    expect(shown).toMatchObject({userOverrides: '', systemOverrides: 'pod:\n  replicas: {server: 1}\n'})
  })

  it('are cached for all callers of a service, but not for other services', async () => {
    const base = factsBase({facts: {charts: {rabbitmq: []}}, plugins: builtInPlugins()})
    const options = {base, store: await temporaryStore(), allowSecrets: true}
    const overridesFor = localOverrides(options)
    const first = await overridesFor('ada').show('rabbitmq', 'openstack')

    const second = await overridesFor('bob').show('rabbitmq', 'openstack')
    const other = await localOverrides(options)('ada').show('rabbitmq', 'openstack')

    expect(second).toBe(first)
    expect(other).toEqual(first)
    expect(other).not.toBe(first)
  })

  it('of one chart are separate in two namespaces', async () => {
    const {service} = await openService()

    await service.update('ingress', 'kube-system', setting('a=1'))
    await service.update('ingress', 'openstack', setting('a=2'))
    await service.delete('ingress', 'kube-system')

    const shown = await Promise.all(['kube-system', 'openstack'].map((each) => service.show('ingress', each)))
    expect(shown.map(({userOverrides}) => userOverrides)).toEqual(['', 'a: 2\n'])
  })

  it('lose no concurrent change', async () => {
    const {service} = await openService()
    const keys = Array.from({length: 8}, (_, index) => `k${index}`)

    await Promise.all(
      keys.map((key) => service.update('nova', 'openstack', {...setting(`${key}=1`), flag: 'reuse'})),
    )

    const {userOverrides} = await service.show('nova', 'openstack')
    expect(userOverrides).toBe(keys.map((key) => `${key}: 1\n`).join(''))
  })

  it('are changed only if the etag matches, if one is given', async () => {
    const {service} = await openService()
    const {etag} = await service.update('nova', 'openstack', setting('a=1'))
    await service.update('nova', 'openstack', setting('a=2'))

    const late = service.update('nova', 'openstack', {...setting('a=3'), ifMatch: [etag!]})

    await expect(late).rejects.toMatchObject({code: 'KK_STORE_CONFLICT'})
    expect(await service.show('nova', 'openstack')).toMatchObject({userOverrides: 'a: 2\n'})
  })

  it('are not changed by a dry run, which returns the result', async () => {
    const {service, store} = await openService()
    await service.update('nova', 'openstack', setting('a=1'))

    const would = await service.update('nova', 'openstack', {...setting('b=2'), flag: 'reuse', dryRun: true})

    expect(would.userOverrides).toBe('a: 1\nb: 2\n')
    expect(await service.show('nova', 'openstack')).toMatchObject({userOverrides: 'a: 1\n'})
    expect(await store.audit()).toHaveLength(1)
  })

  it.each([
    ['gnocci', 'openstack', 'KK_UNKNOWN_CHART', 'did you mean gnocchi?'],
    ['rabbitmq', 'openstak', 'KK_UNKNOWN_NAMESPACE', 'did you mean openstack?'],
    ['rabbitmq', 'kube-system', 'KK_UNKNOWN_NAMESPACE', 'it is active in: openstack'],
  ])('of %s in %s are refused with %s, and nothing is stored', async (name, namespace, code, hint) => {
    const {service, store} = await openService()

    const attempts = [
      service.show(name, namespace),
      service.update(name, namespace, setting('a=1')),
      service.delete(name, namespace),
    ]

    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({code, hint})
    expect(await store.list()).toEqual([])
  })

  it('are not changed by an invalid update', async () => {
    const {service} = await openService()
    await service.update('nova', 'openstack', setting('a=1'))
    const files = [{source: 'broken.yaml', text: 'a: {b: '}]

    const attempt = service.update('nova', 'openstack', {
      flag: 'reset',
      values: {files, set: [], setString: []},
    })

    await expect(attempt).rejects.toMatchObject({code: 'KK_YAML'})
    expect(await service.show('nova', 'openstack')).toMatchObject({userOverrides: 'a: 1\n'})
  })
})

describe('secrets among overrides', () => {
  const PLACE = 'global.endpoints.oslo_messaging.auth.admin.password'

  it('are masked unless showSecrets is set, including secrets that only the plugin declares', async () => {
    const {service} = await openService()
    await service.update('rabbitmq', 'openstack', setting(`${PLACE}=geheim`, 'conf.api_key=geheim', 'a=1'))

    const masked = await service.show('rabbitmq', 'openstack')
    const shown = await service.show('rabbitmq', 'openstack', {showSecrets: true})

    expect(masked.userOverrides).not.toContain('geheim')
    expect(masked.combinedOverrides).not.toContain('geheim')
    expect(masked.userOverrides).toContain('a: 1\n')
    expect(shown.userOverrides.match(/geheim/g)).toHaveLength(2)
  })

  it('are encrypted in the store', async () => {
    const {service, store} = await openService()

    await service.update('rabbitmq', 'openstack', setting(`${PLACE}=geheim`))
    await service.update('nova', 'openstack', setting('a=1'))

    const [nova, rabbitmq] = await store.list()
    expect(nova?.sealed).toBeUndefined()
    expect(rabbitmq?.sealed).toMatch(/^kk-sealed:/)
  })

  it('need a key, and their paths are reported; other values need no key', async () => {
    const {service} = await openService('bare-metal.yaml', {hasKey: false})
    const plain = [
      'manifests.secret_db=false',
      'conf.keystone.token.provider=fernet',
      'jobs.fernet_rotate.cron=daily',
      'network.private=true',
    ]

    await service.update('nova', 'openstack', setting(...plain))
    const attempt = service.update('rabbitmq', 'openstack', setting(`${PLACE}=geheim`, 'conf.a=1'))

    await expect(attempt).rejects.toMatchObject({
      code: 'KK_STORE_KEY',
      message: expect.stringContaining(`${PLACE} of rabbitmq in openstack is secret: `),
    })
    expect((await service.show('nova', 'openstack')).userOverrides).not.toContain('***')
  })

  it.each([PLACE, PLACE.replace('global.', ''), 'global.endpoints.oslo_messaging', 'global'])(
    'cannot be set at %s if that is not allowed',
    async (place) => {
      const {service, store} = await openService('bare-metal.yaml', {allowSecrets: false})

      const attempt = service.update('rabbitmq', 'openstack', setting(`${place}=geheim`))

      await expect(attempt).rejects.toMatchObject({code: 'KK_SECRET', exit: 3})
      expect(await store.list()).toEqual([])
    },
  )

  it('stored earlier may stay if setting them is not allowed', async () => {
    const {service, store} = await openService('bare-metal.yaml', {allowSecrets: false})
    const secret = 'global: {endpoints: {oslo_messaging: {auth: {admin: {password: geheim}}}}}\n'
    const place = {name: 'rabbitmq', namespace: 'openstack'}
    await store.put({...place, userOverrides: secret, who: 'operator', expected: undefined, secret: true})

    const updated = await service.update('rabbitmq', 'openstack', {...setting('a=1'), flag: 'reuse'})

    expect(updated.userOverrides).toContain('a: 1\n')
  })
})
