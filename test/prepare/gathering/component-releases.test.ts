import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {mergedValues} from '../../../src/overrides/layers.ts'
import {parseSetFlag} from '../../../src/overrides/release-flags.ts'
import {makePlan} from '../../../src/plan/make-plan.ts'
import {namedRelease, namedReleases, type Prepared, prepare} from '../../../src/prepare/prepare.ts'
import {type ReleaseId, releaseName} from '../../../src/release.ts'
import {recordOf} from '../../plan/fixtures.ts'

const ROOT = join(import.meta.dirname, '../../..')
const NOVA = 'kk: {releases: {nova: {components: true}}}\n'
const PARTS = [
  'common',
  'api',
  'metadata',
  'conductor',
  'scheduler',
  'novncproxy',
  'compute',
  'drain-blocker',
  'rollout',
].map((part) => `nova-${part}`)

describe('a section with components: true', () => {
  it('becomes a common release, a release per component and a release for the jobs that wait for them', async () => {
    const {graph, releases} = await preparedOf(`${NOVA}nova: {}\n`)

    const ofNova = graph.releases.filter((each) => releases.get(each)?.chart.name === 'nova')
    expect(ofNova.map(releaseName)).toEqual(PARTS)
  })

  it('lets the common release require what the chart requires, and each component the common release', async () => {
    const required = requiredIn(await preparedOf(`${NOVA}nova: {}\n`))

    expect(required('nova-common')).toEqual(
      expect.arrayContaining(['mariadb:ready', 'keystone:ready', 'neutron:applied']),
    )
    expect(required('nova-common').filter((each) => each.startsWith('nova'))).toEqual([])
    expect(required('nova-conductor')).toEqual(['nova-common:ready'])
  })

  it('lets components require those whose endpoints they use, and final jobs require all of them', async () => {
    const text = 'kk: {releases: {nova: {components: true}, ovn: {components: true}}}\nnova: {}\novn: {}\n'
    const required = requiredIn(await preparedOf(text))

    expect(required('ovn-northd').filter((each) => each.startsWith('ovn'))).toEqual([
      'ovn-common:ready',
      'ovn-nb:ready',
      'ovn-sb:ready',
    ])
    expect(required('nova-rollout').filter((each) => each.startsWith('nova'))).toEqual(
      PARTS.filter((part) => part !== 'nova-rollout').map((part) => `${part}:ready`),
    )
  })

  it('has evidence for each requirement', async () => {
    const {graph} = await preparedOf('kk: {releases: {ovn: {components: true}}}\novn: {}\n')

    const edges = graph.requirements.get('openstack/ovn-controller')!
    const evidence = (to: ReleaseId) => edges.find((edge) => edge.to === to)!.evidence
    expect(evidence('openstack/ovn-common')).toEqual([
      {source: 'environment', file: 'cloud.yaml', line: 1, text: 'kk.releases.ovn.components: true'},
    ])
    expect(evidence('openstack/ovn-sb')).toEqual([
      {source: 'annotation', file: 'ovn/values.yaml', text: 'components.controller.needs: [ovn_ovsdb_sb]'},
    ])
  })

  it('is required as a whole by releases that require the section', async () => {
    const text = `kk: {releases: {nova: {components: true}, horizon: {requires: [nova]}}}\nhorizon: {}\n`
    const required = requiredIn(await preparedOf(text))

    expect(required('horizon').filter((each) => each.startsWith('nova'))).toEqual(
      PARTS.map((part) => `${part}:ready`).sort(),
    )
  })

  it('omits a component that the section disables', async () => {
    const {graph} = await preparedOf(`${NOVA}nova: {components: {novncproxy: null}}\n`)

    expect(graph.releases).not.toContain('openstack/nova-novncproxy')
    expect(graph.releases).toContain('openstack/nova-api')
  })

  it('passes settings and values of the section to each release, with the name of its component', async () => {
    const text = `
kk: {releases: {nova: {components: true, namespace: compute, timeout: 30m, protected: true}}}
nova: {conf: {nova: {DEFAULT: {debug: true}}}, pod: {replicas: {api: 3, conductor: 2}}}
`
    const {releases} = await preparedOf(text)

    const {layers, desired, timeoutSeconds} = releases.get('compute/nova-api')!
    expect(mergedValues(layers)).toMatchObject({
      kk: {section: 'nova', components: ['api']},
      conf: {nova: {DEFAULT: {debug: true}}},
      pod: {replicas: {api: 3}},
    })
    expect(mergedValues(layers).pod).toEqual({replicas: {api: 3}})
    expect(layers.map(({source}) => source)).toEqual([
      'section nova of cloud.yaml',
      'kk.releases.nova.components of cloud.yaml',
    ])
    expect(layers[0]!.position?.(['pod', 'replicas'])).toMatchObject({line: 3})
    expect({timeoutSeconds, isProtected: desired.protected}).toEqual({
      timeoutSeconds: 1800,
      isProtected: true,
    })
  })

  it('is selected as a whole by the name of the section, and release by release by their names', async () => {
    const prepared = await preparedOf(`${NOVA}nova: {}\n`)

    expect(namedReleases(prepared, ['nova-api', 'nova']).map(releaseName)).toEqual([
      'nova-api',
      ...PARTS.filter((part) => part !== 'nova-api'),
    ])
    expect(() => namedRelease(prepared, 'nova')).toThrow(
      expect.objectContaining({code: 'KK_USAGE', message: `nova is several releases: ${PARTS.join(', ')}`}),
    )
  })

  it('is refused if a layer other than the section adds a component', async () => {
    await expect(
      preparedOf(`${NOVA}nova: {}\n`, ['nova:components.spare.command=sleep']),
    ).rejects.toMatchObject({
      code: 'KK_VALUES',
      message:
        '--set nova:components.spare.command=***: components.spare is no component of nova, of which nova has a release each',
    })
  })

  it.each([
    [
      'a chart without components',
      'kk: {charts: [test/fixtures/charts], releases: {workload: {components: true}}}\nworkload: {}\n',
      'cloud.yaml:1:60: the chart workload has no components that could be separate releases',
    ],
    [
      'a section of the name of one of its releases',
      `${NOVA}nova: {}\nnova-api: {}\n`,
      'cloud.yaml:3:1: nova-api is one of the releases that nova becomes (kk.releases.nova.components)',
    ],
    [
      'settings of one of its releases',
      'kk: {releases: {nova: {components: true}, nova-api: {timeout: 5m}}}\nnova: {}\n',
      'cloud.yaml:1:43: nova-api is one of the releases that nova becomes (kk.releases.nova.components)',
    ],
  ])('is refused for %s', async (_, text, message) => {
    await expect(preparedOf(text)).rejects.toMatchObject({code: 'KK_ENVIRONMENT', message})
  })
})

describe('the plan of a section with components: true', () => {
  it('changes only the component whose values differ', async () => {
    const records = deployed(await preparedOf(`${NOVA}nova: {pod: {replicas: {conductor: 1}}}\n`))

    const plan = planOf(await preparedOf(`${NOVA}nova: {pod: {replicas: {conductor: 2}}}\n`), records)

    expect(changedIn(plan)).toEqual(['upgrade nova-conductor'])
  })

  it('changes all releases that read a changed value, the common release first', async () => {
    const records = deployed(await preparedOf(`${NOVA}nova: {}\n`))

    const plan = planOf(await preparedOf(`${NOVA}nova: {conf: {nova: {DEFAULT: {debug: true}}}}\n`), records)

    expect(changedIn(plan).toSorted()).toEqual(PARTS.map((part) => `upgrade ${part}`).toSorted())
    expect(changedIn(plan)[0]).toBe('upgrade nova-common')
  })

  it('applies --set of the section to the affected components', async () => {
    const text = `${NOVA}nova: {}\n`
    const records = deployed(await preparedOf(text))

    const prepared = await preparedOf(text, ['nova:pod.replicas.conductor=2'])

    expect(changedIn(planOf(prepared, records))).toEqual(['upgrade nova-conductor'])
  })

  it('changes a component after the configuration that it reads', async () => {
    const records = deployed(await preparedOf(`${NOVA}nova: {}\n`))
    const prepared = await preparedOf(`${NOVA}nova: {conf: {nova: {DEFAULT: {debug: true}}}}\n`)

    expect(() => planOf(prepared, records, ['nova-conductor'])).toThrow(
      expect.objectContaining({code: 'KK_COMMON_FIRST', hint: 'name it as well: nova-common nova-conductor'}),
    )
    expect(changedIn(planOf(prepared, records, ['nova-conductor', 'nova-common']))).toEqual([
      'upgrade nova-common',
      'upgrade nova-conductor',
    ])
  })

  it.each([
    ['one release, and should become releases per component', 'nova: {}\n', `${NOVA}nova: {}\n`],
    ['releases per component (nova-api, ', `${NOVA}nova: {}\n`, 'nova: {}\n'],
  ])('is refused if the section is installed as %s', async (text, before, after) => {
    const records = deployed(await preparedOf(before))
    const prepared = await preparedOf(after)

    expect(() => planOf(prepared, records)).toThrow(
      expect.objectContaining({
        code: 'KK_COMPONENTS',
        message: expect.stringContaining(`openstack/nova is installed as ${text}`),
      }),
    )
  })
})

async function preparedOf(text: string, sets: readonly string[] = []): Promise<Prepared> {
  return prepare({
    environment: readEnvironment({file: 'cloud.yaml', text, directory: ROOT}),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: sets.map((each) => parseSetFlag('--set', each)),
  })
}

/** What a release requires, by name and kind. */
function requiredIn({graph}: Prepared): (name: string) => readonly string[] {
  return (name) =>
    graph.requirements.get(`openstack/${name}`)!.map(({to, kind}) => `${releaseName(to)}:${kind}`)
}

function deployed({releases}: Prepared): readonly ReleaseRecord[] {
  return [...releases.values()].map(({desired}) => recordOf(desired))
}

function planOf(prepared: Prepared, records: readonly ReleaseRecord[], names: readonly string[] = []) {
  const {graph, releases} = prepared
  return makePlan({
    environment: 'cloud',
    file: 'cloud.yaml',
    cluster: {context: 'sandbox', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
    graph,
    desired: new Map([...releases].map(([release, {desired}]) => [release, desired])),
    records,
    mode:
      names.length === 0
        ? {kind: 'all'}
        : {kind: 'named', releases: namedReleases(prepared, names), install: false},
  })
}

function changedIn({actions}: ReturnType<typeof planOf>): readonly string[] {
  return actions
    .filter(({kind}) => kind !== 'unchanged' && kind !== 'check')
    .map(({kind, release}) => `${kind} ${releaseName(release)}`)
}
