import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import {parseSetFlag} from '../../../src/overrides/release-flags.ts'
import {prepare} from '../../../src/prepare/prepare.ts'
import {expectSettings} from '../../../src/prepare/settings/expect-settings.ts'
import {openOptionLists} from '../../../src/prepare/settings/option-lists.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** Checks an environment of kk's own charts; `sets` are expressions of `--set`. */
async function check(text: string, {keys = false, sets = []}: {keys?: boolean; sets?: string[]} = {}) {
  const prepared = await prepare({
    environment: readEnvironment({file: 'cloud.yaml', text, directory: ROOT}),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: sets.map((set) => parseSetFlag('--set', set)),
    optionLists: openOptionLists(async () => ROOT),
  })
  return expectSettings(prepared, {keys})
}

const KOLLA = 'kk: {features: [kolla]}\n'

describe('a value that nothing reads', () => {
  it.each<[string, string, string]>([
    [
      'a file',
      'nova: {conf: {nvoa: {DEFAULT: {debug: true}}}}',
      'cloud.yaml:1:15: conf.nvoa: no such file: did you mean "nova"?',
    ],
    [
      'a section',
      'nova: {conf: {nova: {DEFUALT: {debug: true}}}}',
      'cloud.yaml:1:22: conf.nova.DEFUALT: no such section: did you mean "DEFAULT"?',
    ],
    [
      'an option',
      'nova: {conf: {nova: {DEFAULT: {debgu: true}}}}',
      'cloud.yaml:1:32: conf.nova.DEFAULT.debgu: no such option: did you mean "debug"?',
    ],
    [
      'an option of ml2',
      'neutron: {conf: {ml2: {ovn: {ovn_l3_schedular: a}}}}',
      'cloud.yaml:1:30: conf.ml2.ovn.ovn_l3_schedular: no such option: did you mean "ovn_l3_scheduler"?',
    ],
    [
      'an option of a group of nodes',
      'nova: {node_groups: {pinned: {hosts: [cmp1], conf: {nova: {compute: {cpu_dedicated_sett: 2}}}}}}',
      'cloud.yaml:1:70: node_groups.pinned.conf.nova.compute.cpu_dedicated_sett: no such option: did you mean "cpu_dedicated_set"?',
    ],
    [
      'an option of a directory of files',
      'barbican: {conf: {crypto: {simple_crypto_plugin: {kekk: a}}}}',
      'cloud.yaml:1:51: conf.crypto.simple_crypto_plugin.kekk: no such option: did you mean "kek"?',
    ],
  ])('is an error with position and suggestion: %s', async (_, text, line) => {
    const name = text.slice(0, text.indexOf(':'))

    await expect(check(text)).rejects.toMatchObject({
      code: 'KK_VALUES',
      message: `${name}: nothing reads what conf sets:\n  ${line}`,
      hint: expect.stringMatching(/^correct the values/),
    })
  })

  it('names all mistakes of all releases, and the entries that let them through', async () => {
    const text =
      'nova: {conf: {nova: {my_plugin: {a: 1}, api: {b: 2}}}}\nheat: {conf: {heat: {DEFAULT: {c: 3}}}}\n'

    const refused = check(text, {sets: ['heat:conf.heat.DEFAULT.d=4']})

    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(
        /^nova: .*:\n {2}cloud.*my_plugin: .*\n {2}cloud.*api\.b: .*\nheat: .*:\n {2}cloud.*c: .*\n {2}--set heat:conf.heat.DEFAULT.d=\*\*\*: conf.*d: /,
      ),
      hint: 'correct the values; if a plugin reads them: kk.conf.allow: [nova.my_plugin, nova.api.b, heat.DEFAULT.c, heat.DEFAULT.d]',
    })
  })

  it.each([
    [
      'kk.conf.allow names its section',
      'kk: {conf: {allow: [nova.my_plugin]}}\nnova: {conf: {nova: {my_plugin: {a: 1}}}}',
    ],
    [
      'kk.conf.allow names the option',
      'kk: {conf: {allow: [nova.api.a]}}\nnova: {conf: {nova: {api: {a: 1}}}}',
    ],
    ['the file is not of oslo.config', 'nova: {conf: {policy: {any: thing}, paste: {my: {a: 1}}}}'],
    ['the user adds the file', 'nova: {files: {mine: {path: /etc/mine}}, conf: {mine: {s: {o: 1}}}}'],
    ['kk has no list of the service', 'murano: {conf: {murano: {s: {o: 1}}}}'],
    ['the OpenStack release has no list', 'nova: {images: {tag: 2024.1-mine}, conf: {nova: {s: {o: 1}}}}'],
  ])('passes if %s', async (_, text) => {
    expect(await check(text)).toEqual([])
  })
})

describe('the image of a service', () => {
  const keystone = 'keystone: {conf: {keystone: {token: {provder: x}}}}\n'
  const image = (images: string) => `global: {images: ${images}}\n${keystone}`

  it.each([
    ['of the feature kolla', `${KOLLA}${keystone}`],
    ['in another namespace', image('{registry: quay.io, namespace: openstack.kolla}')],
    ['of another name', image('{tags: {keystone_api: "registry.example.org/keystone:2025.1"}}')],
  ])('%s makes an unknown option a note', async (_, text) => {
    expect(await check(text)).toEqual([
      expect.stringMatching(
        /^keystone: cloud\.yaml:2:\d+: conf\.keystone\.token\.provder: no such option: did you mean "provider"\?; if a plugin reads it: kk\.conf\.allow: \[keystone\.token\.provder\]$/,
      ),
    ])
  })

  it.each([
    ['of a mirror', image('{registry: registry.example.org, namespace: cloud/kk}')],
    ['by digest', image('{tags: {keystone_api: "registry.example.org/kk/keystone@sha256:1"}}')],
    ['of another service', image('{tags: {glance_api: "registry.example.org/glance:2025.1"}}')],
  ])("%s is kk's, whose unknown options are errors", async (_, text) => {
    await expect(check(text)).rejects.toMatchObject({code: 'KK_VALUES'})
  })

  it('decides whose OpenStack release has the options', async () => {
    const text = 'keystone: {conf: {keystone: {api: {response_validation: error}}}}\n'
    const next = 'global: {images: {tag: 2026.1-debian-trixie}}\n'

    expect(await check(text)).toEqual([
      'keystone: cloud.yaml:1:30: conf.keystone.api: has no effect: only OpenStack 2026.1 has it',
    ])
    expect(await check(`${next}${text}`)).toEqual([])
  })

  it('decides what is deprecated', async () => {
    expect(await check('nova: {conf: {nova: {DEFAULT: {rpc_thread_pool_size: 9}}}}')).toEqual([
      'nova: cloud.yaml:1:32: conf.nova.DEFAULT.rpc_thread_pool_size: deprecated: its name is DEFAULT.executor_thread_pool_size now',
    ])
  })
})

describe('with keys, without helm', () => {
  it.each([
    [
      'a key',
      'keystone: {pod: {replica: 1}}',
      'cloud.yaml:1:18: pod.replica: no such key: did you mean "replicas"?',
    ],
    [
      'a component',
      'keystone: {pod: {replicas: {apii: 1}}}',
      'cloud.yaml:1:29: pod.replicas.apii: no such key: did you mean "api"?',
    ],
    ['a key at the top', 'keystone: {pods: {}}', 'cloud.yaml:1:12: pods: no such key: did you mean "pod"?'],
  ])('%s that the schema does not allow is an error', async (_, text, line) => {
    await expect(check(text, {keys: true})).rejects.toMatchObject({
      code: 'KK_VALUES',
      message: `keystone: the values break the schema of the chart:\n  ${line}`,
      hint: 'correct the values',
    })
    expect(await check(text)).toEqual([])
  })

  it('one mistake below global is one error, and one note', async () => {
    const text = 'global: {images: {tgas: {}}}\nnova: {}\n'

    await expect(check(text, {keys: true})).rejects.toMatchObject({
      message: expect.stringMatching(
        /^\w+: the values break the schema of the chart:\n {2}cloud\.yaml:1:19: global\.images\.tgas: no such key: did you mean "tags"\?$/,
      ),
    })
    expect(await check('global: {endpoints: {idenity: {}}}\nnova: {}\n', {keys: true})).toEqual([
      expect.stringContaining('no chart of this environment has endpoints.idenity'),
    ])
  })
})
