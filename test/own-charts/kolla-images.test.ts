import {existsSync, readdirSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {CHARTS, useCharts, withAllObjects} from './support/charts.ts'
import {containers, find, type KubernetesObject, ofKind, pods, workloads} from './support/objects.ts'

const charts = await useCharts()

const fixture = await readFile(join(import.meta.dirname, '../fixtures/kolla/images.txt'), 'utf8')
/** The images that kolla builds for 2025.1, with their users. */
const PUBLISHED = new Map(
  fixture
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(' ') as [string, string]),
)

/**
 * Where kolla publishes no image of a service any longer, the last one that it did publish; and StarlingX's
 * own.
 */
const OTHERS =
  /^(docker\.io\/kolla\/ubuntu-source-|quay\.io\/openstack\.kolla\/murano-|registry\.example\.org\/)/
/** Kubernetes' own check of dependencies, which kolla does not have. */
const CHECK = /^quay\.io\/airshipit\/kubernetes-entrypoint:/

const FEATURES = [
  ['kolla', '2025.1-debian-bookworm'],
  ['kolla-ubuntu_noble', '2025.1-ubuntu-noble'],
] as const

const ALL = readdirSync(CHARTS).filter(
  (chart) => existsSync(join(CHARTS, chart, 'Chart.yaml')) && chart !== 'common',
)
const COVERED = ALL.filter((chart) => existsSync(join(CHARTS, 'values_overrides', chart, 'kolla.yaml')))

/** The objects of a chart with the feature files up to this one, on Ceph, with all that it can make. */
async function withFeature(chart: string, feature: string): Promise<KubernetesObject[]> {
  const files = FEATURES.slice(0, FEATURES.findIndex(([name]) => name === feature) + 1)
    .map(([name]) => join(CHARTS, 'values_overrides', chart, `${name}.yaml`))
    .filter((file) => existsSync(file))
  const values = {...withAllObjects(chart), storage: {backend: 'ceph'}, dumps: {claim: 'dumps'}}
  return charts.render(chart, {files, values})
}

function imagesOf(objects: readonly KubernetesObject[]): readonly string[] {
  const images = pods(objects).flatMap((pod) => containers(pod).map(({image}) => image))
  return [...new Set(images)].filter((image) => !CHECK.test(image) && !OTHERS.test(image))
}

describe.each(FEATURES)('with the feature %s', (feature, tag) => {
  it.each(COVERED)('%s runs on images that kolla publishes, and on none of kk', async (chart) => {
    const images = imagesOf(await withFeature(chart, feature))

    for (const image of images) {
      const [, name] = /^quay\.io\/openstack\.kolla\/([^:]+):/.exec(image) ?? []
      expect(PUBLISHED.has(name ?? ''), image).toBe(true)
      // The last of their releases is older, and has no other distribution.
      if (!['murano', 'panko'].includes(chart)) expect(image).toMatch(new RegExp(`:${tag}$`))
    }
  })
})

it('docs/images.md names the charts that have no image of kolla, and why', async () => {
  const page = await readFile(join(CHARTS, '../docs/images.md'), 'utf8')

  const [, table = ''] = /<!-- charts without kolla's images -->\n([\s\S]+?)<!-- end -->/.exec(page) ?? []
  const named = [...table.matchAll(/^\| `([a-z-]+)` \| .{20,} \|$/gm)].map(([, chart]) => chart)
  expect(named.sort()).toEqual(ALL.filter((chart) => !COVERED.includes(chart)).sort())
})

it.each([
  ['aodh', 'api', 'aodh.api.app:build_wsgi_app()'],
  ['barbican', 'api', 'barbican.api.app:get_api_wsgi_script()'],
  ['octavia', 'api', 'octavia.api.app:setup_app()'],
  ['keystone', 'api', 'keystone.wsgi.api:application'],
  ['horizon', 'server', 'openstack_dashboard.wsgi:application'],
])('uwsgi serves %s %s by a module that 2025.1 has', async (chart, unit, module) => {
  const {data = {}} = find(await withFeature(chart, 'kolla'), 'ConfigMap', `${chart}-etc`)

  expect(data[`${chart}-${unit}-uwsgi.ini`]?.split('\n')).toContain(`module = ${module}`)
})

it("keystone's start skips the part that would give uwsgi the options of Apache", async () => {
  const [api] = pods(ofKind(await withFeature('keystone', 'kolla'), 'Deployment'))

  expect(api?.spec.containers[0]?.env).toContainEqual({name: 'KOLLA_SKIP_EXTEND_START', value: ''})
})

it('BIND runs as its user where the image has root, and may write to its directories', async () => {
  expect(PUBLISHED.get('designate-backend-bind9')).toBe('root')

  const objects = await withFeature('designate', 'kolla')

  const bind9 = pods(ofKind(objects, 'StatefulSet')).find(({spec}) =>
    spec.containers[0]?.image.includes('/designate-backend-bind9:'),
  )
  expect(bind9?.spec.containers[0]).toMatchObject({
    securityContext: {runAsUser: 42411},
    volumeMounts: expect.arrayContaining([expect.objectContaining({mountPath: '/run/named'})]),
  })
})

it('no image needs what only those of kk have: the files of ironic, and the guest of libvirt', async () => {
  const {data: ironic = {}} = find(await withFeature('ironic', 'kolla'), 'ConfigMap', 'ironic-etc')
  const {data: libvirt = {}} = find(await withFeature('libvirt', 'kolla'), 'ConfigMap', 'libvirt-bin')

  expect(Object.values(ironic).join('\n')).not.toContain('/usr/share/kk')
  expect(libvirt['virt-type.sh']).toContain('[ -e $GUEST/vmlinuz ] || return 0')
})

const RESOLVED = [
  ...['server', 'rpc-server', 'periodic-workers', 'ovn-maintenance-worker', 'ovn-metadata-agent'].map(
    (unit) => ['neutron', unit] as const,
  ),
  ['octavia', 'api'] as const,
]

it.each(RESOLVED)("%s %s finds the members of OVN's databases by name", async (chart, unit) => {
  const objects = await withFeature(chart, 'kolla')

  const pod = pods(workloads(objects)).find(({owner}) => owner.endsWith(` ${chart}-${unit}`))
  expect(pod?.spec.containers[0]?.env).toContainEqual({name: 'PYTHONPATH', value: '/scripts'})
  expect(find(objects, 'ConfigMap', `${chart}-bin`).data).toHaveProperty('sitecustomize.py')
})

it('the scripts of all charts are Python 3.11, which Debian 12 has', async () => {
  const scripts = await Promise.all(
    COVERED.map(async (chart) => {
      const found = ofKind(await withFeature(chart, 'kolla'), 'ConfigMap')
      return found.flatMap(({data = {}}) => Object.entries(data)).filter(([name]) => name.endsWith('.py'))
    }),
  )
  const check = `import ast, json, sys
for name, text in json.load(sys.stdin):
    ast.parse(text, name, feature_version=(3, 11))`

  const {stderr} = await execa('python3', ['-c', check], {
    input: JSON.stringify(scripts.flat()),
    reject: false,
  })

  expect(scripts.flat().length).toBeGreaterThan(50)
  expect(stderr).toBe('')
})
