import {describe, expect, it} from 'vitest'
import {secretOptions} from '../../scripts/charts/secret-options.ts'
import {looksSecretPath} from '../../src/helm/redact/looks-secret.ts'
import {redactValues} from '../../src/helm/redact/values.ts'
import {SERVICES, useCharts, valuesOf} from './support/charts.ts'
import {find, ofKind, pods, workloads} from './support/objects.ts'

const charts = await useCharts()
const OPTIONS = secretOptions()
/** Those of a library that each service has, for the services that kk has no image of. */
const EVERYWHERE = OPTIONS.filter(({service}) => service === 'keystone')
const WITH_OPTIONS = [...new Set(OPTIONS.map(({service}) => service))]
const OTHERS = ['fm-rest-api', 'murano', 'nova-api-proxy', 'panko']

it('every service that kk has an image of has its options in both releases', () => {
  const lists = new Set(OPTIONS.map(({release, service}) => `${release} ${service}`))

  expect(SERVICES).toEqual(expect.arrayContaining(WITH_OPTIONS))
  expect(lists.size).toBe(2 * WITH_OPTIONS.length)
})

describe.each([...WITH_OPTIONS, ...OTHERS])('what oslo.config calls secret of %s', async (chart) => {
  const own = OPTIONS.filter(({service}) => service === chart)
  const places = new Map(
    (own.length > 0 ? own : EVERYWHERE).map((each) => [`${each.section}.${each.option}`, each]),
  )
  // A file for each, for one secret takes its whole file with it.
  const cases = [...places.values()].flatMap(({section, option, type}, index) => {
    const marks = [`marked-text-${index}-end`, 730_000_000 + index]
    const values =
      type === 'multi valued' || type === 'dict' ? [...marks, lines(`marked-lines-${index}-end`)] : marks
    return values.map((value, at) => ({key: `file_${index}_${at}`, section, option, value}))
  })
  const conf = Object.fromEntries(
    cases.map(({key, section, option, value}) => [key, {[section]: {[option]: value}}]),
  )

  it('is in a Secret that its pods mount, and in no ConfigMap', async () => {
    const files = Object.fromEntries(cases.map(({key}) => [key, {path: `/etc/${chart}/${key}.conf`}]))

    // Some components list the files that they mount.
    const [component] = Object.keys(valuesOf(chart).components!)
    const components = {[component!]: {files: Object.keys(files)}}

    const objects = await charts.render(chart, {values: {files, conf, components}})

    const names = cases.map(({key}) => `${key}.conf`)
    const open = JSON.stringify(ofKind(objects, 'ConfigMap').flatMap(({data}) => Object.values(data ?? {})))
    expect(open).not.toMatch(/marked-(?:text|lines)|\b73000\d{4}\b/)
    expect(Object.keys(find(objects, 'Secret', `${chart}-files`).data!)).toEqual(
      expect.arrayContaining(names),
    )
    const mounting = pods(workloads(objects)).map(({spec}) => JSON.stringify(spec.volumes))
    expect(mounting.some((volumes) => names.every((name) => volumes.includes(`"${name}"`)))).toBe(true)
  })

  it('is masked where values are shown', () => {
    const shown = JSON.stringify(redactValues({conf}, []))

    expect(shown).not.toMatch(/marked-(?:text|lines)|\b73000\d{4}\b/)
  })
})

it('the templates and kk call the same names secret', async () => {
  const listed = new Map(OPTIONS.map(({section, option}) => [option, section]))
  const places = [...listed, ...LIKE_SECRETS.map((name) => [name, 'x'] as const)]
  const key = (index: number) => `file_${index}`
  const files = Object.fromEntries(
    places.map((_, index) => [key(index), {path: `/etc/x/${key(index)}.conf`}]),
  )
  const conf = Object.fromEntries(
    places.map(([name, section], index) => [key(index), {[section]: {[name]: 'geheim'}}]),
  )

  const objects = await charts.render('memcached', {values: {files, conf}})

  const hidden = Object.keys(find(objects, 'Secret', 'memcached-files').data!)
  const isHidden = (_: unknown, index: number) => hidden.includes(`${key(index)}.conf`)
  const isMasked = ([name, section]: readonly [string, string]) => looksSecretPath([section, name], 'geheim')
  expect(places.filter(isHidden)).toEqual(places.filter(isMasked))
})

/** Names that are secret, and others that are nearly. */
const LIKE_SECRETS = [
  'adminPassword password2 private_key_pem apiKey APIKey secretId auth-token bearer ca_key key keys kek rootpw connection',
  'monkey topologyKey public_key max_tokens token_provider bypass member_role_id hotkeys ovn_nb_connection Connection',
  'secret_name password_expires_days url login',
].flatMap((line) => line.split(' '))

function lines(mark: string) {
  return {type: 'multistring', values: [mark]}
}
