import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {readServiceCharts} from '../../src/exchange/kolla/service-charts.ts'
import {importConfig} from '../../src/verbs/config/import-config.ts'
import {HELMS} from '../support/helms.ts'
import {useCharts} from './support/charts.ts'
import {find, secret, variable, workloads} from './support/objects.ts'

const GENERATED = join(import.meta.dirname, '../fixtures/kolla/generated/keystone')
const generated = (name: string) => readFileSync(join(GENERATED, name), 'utf8')
const charts = await useCharts()
const {releases} = await importConfig(GENERATED, {
  charts: await readServiceCharts(join(import.meta.dirname, '../../charts')),
  passwords: [],
})
const values = mergeValues(releases[0]!.values, releases[0]!.secrets)

describe.each(HELMS)('keystone from what kolla-ansible generated, by %s', async (helm) => {
  const objects = await charts.render('keystone', {values, helm})
  const etc = find(objects, 'ConfigMap', 'keystone-etc').data!
  const [api] = workloads(objects)

  it('starts with the command in config.json', () => {
    const {command, config_files} = JSON.parse(generated('config.json'))

    expect(JSON.parse(etc['api.json']!)).toMatchObject({command, config_files})
  })

  it('mounts every file under its name, unchanged, secret files from a Secret', () => {
    const volume = api!.spec!.template!.spec.volumes!.find(({name}) => name === 'config')
    const [{configMap} = {}, {secret: of} = {}] = volume!.projected!.sources

    expect(configMap!.items.map(({path}) => path)).toEqual([
      'config.json',
      'keystone-startup.sh',
      'keystone-uwsgi.ini',
    ])
    expect(of!.items.map(({path}) => path)).toEqual(['domains/keystone.users.conf', 'keystone.conf'])
    expect(secret(objects, of!.name, of!.items[1]!.key)).toBe(generated('keystone.conf'))
    expect(etc['api.keystone-uwsgi.ini']).toBe(generated('keystone-uwsgi.ini'))
  })

  it('contains no secret outside a Secret', () => {
    const elsewhere = objects.filter(({kind}) => kind !== 'Secret')

    expect(JSON.stringify(elsewhere)).not.toMatch(/dev-|marked-/)
  })

  it('lets its jobs read the same keystone.conf, without the log file of the service', () => {
    const job = find(objects, 'Job', 'keystone-db-expand').spec!.template!.spec
    const {config_files} = JSON.parse(etc['db-expand.json']!)

    expect(config_files).toContainEqual({
      source: '/var/lib/kolla/config_files/keystone.conf',
      dest: '/etc/keystone/keystone.conf',
      owner: 'keystone',
      perm: '0600',
    })
    expect(variable(job.containers[0]!, 'OS_DATABASE__CONNECTION')).toBeUndefined()
    expect(variable(job.containers[0]!, 'OS_DEFAULT__LOG_FILE')).toBe('')
  })

  it('rotates the configured number of keys', () => {
    const rotation = find(objects, 'CronJob', 'keystone-fernet-rotate')

    expect(
      variable(
        rotation.spec!.jobTemplate!.spec.template.spec.containers[0]!,
        'OS_FERNET_TOKENS__MAX_ACTIVE_KEYS',
      ),
    ).toBe('4')
  })
})

it('a changed file rolls the component', async () => {
  const changed = mergeValues(values, {kolla: {api: {files: {'keystone-uwsgi.ini': '[uwsgi]\n'}}}})
  const hash = async (of: object) =>
    workloads(await charts.render('keystone', {values: of}))[0]!.spec!.template!.metadata.annotations

  expect(await hash(changed)).not.toEqual(await hash(values))
})

it('a component that the chart does not have is refused', async () => {
  expect(await charts.refusal('keystone', {values: {kolla: {apis: {command: 'x'}}}})).toContain(
    'kolla.apis: keystone has the components api',
  )
})
