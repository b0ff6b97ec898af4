/**
 * `npm run options`: writes `options/RELEASE/SERVICE.json`, the options that each service's
 * oslo-config-generator lists in its image, for every OpenStack release with built images (`kk images
 * build`). Then run `npm run charts`, which adds the names of the secret ones to the library chart and to
 * kk's masking.
 */
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {parseArgs} from 'node:util'
import {execa} from 'execa'
import {startBuildah} from '../src/images/building/buildah.ts'
import {type Image, localReference} from '../src/images/image.ts'
import {readImages} from '../src/images/inventory/read-images.ts'
import {type GeneratedGroup, optionsText} from './options/options-text.ts'

const ROOT = join(import.meta.dirname, '..')
const GENERATE = join(import.meta.dirname, 'options/generate.py')

/** The chart of each service, its Python distribution, and the image that contains all of it. */
const SERVICES: Readonly<Record<string, {readonly distribution: string; readonly image: string}>> = {
  aodh: {distribution: 'aodh', image: 'aodh-api'},
  barbican: {distribution: 'barbican', image: 'barbican-api'},
  ceilometer: {distribution: 'ceilometer', image: 'ceilometer-notification'},
  cinder: {distribution: 'cinder', image: 'cinder-api'},
  designate: {distribution: 'designate', image: 'designate-api'},
  glance: {distribution: 'glance', image: 'glance-api'},
  gnocchi: {distribution: 'gnocchi', image: 'gnocchi-api'},
  heat: {distribution: 'openstack-heat', image: 'heat-api'},
  ironic: {distribution: 'ironic', image: 'ironic-api'},
  keystone: {distribution: 'keystone', image: 'keystone'},
  magnum: {distribution: 'magnum', image: 'magnum-api'},
  manila: {distribution: 'manila', image: 'manila-api'},
  neutron: {distribution: 'neutron', image: 'neutron-server'},
  nova: {distribution: 'nova', image: 'nova-base'},
  octavia: {distribution: 'octavia', image: 'octavia-api'},
  placement: {distribution: 'openstack-placement', image: 'placement-api'},
}
/** Libraries with options of their own in the images of services. */
const OTHERS = ['horizon', 'python-manilaclient']

interface Generated {
  readonly namespaces: readonly string[]
  readonly options: Readonly<Record<string, GeneratedGroup>>
}

/** Runs the generator in an image, and prints what it cannot load. */
async function generate(image: Image, words: readonly string[]): Promise<Generated> {
  const {stdout: container} = await buildah(['from', '--pull=never', localReference(image)])
  try {
    const run = ['run', '--isolation', 'chroot', container, '--', 'python3', '-', ...words]
    const {stdout, stderr} = await buildah(run, await readFile(GENERATE, 'utf8'))
    for (const line of stderr.split('\n').filter((each) => /^[\w.]+: /.test(each))) console.error(line)
    return JSON.parse(stdout)
  } finally {
    await buildah(['rm', container])
  }
}

async function buildah(args: readonly string[], input = '') {
  const ended = await startBuildah(() => execa('buildah', args, {input, reject: false}))
  if (ended.failed) throw new Error(ended.stderr, {cause: ended})
  return ended
}

/** Writes the lists of these services, or of all, in one release or each. */
async function writeOptions(wanted: readonly string[], only: string | undefined): Promise<void> {
  const images = await readImages(join(ROOT, 'images'))
  const releases = only
    ? [only]
    : [...new Set(images.map(({tag}) => tag.split('-')[0]!))].filter((name) => /^\d{4}/.test(name))
  const distributions = Object.values(SERVICES).map(({distribution}) => distribution)
  for (const release of releases) {
    await mkdir(join(ROOT, 'options', release), {recursive: true})
    for (const [service, {distribution, image}] of Object.entries(SERVICES)) {
      if (wanted.length > 0 && !wanted.includes(service)) continue
      const found = images.find(
        ({repository, tag}) => repository === `kk/${image}` && tag.startsWith(`${release}-`),
      )
      if (!found) throw new Error(`there is no image ${image} of ${release}`)
      const others = [...distributions, ...OTHERS].filter((each) => each !== distribution)
      const {namespaces, options} = await generate(found, [distribution, ...others])
      const path = join('options', release, `${service}.json`)
      await writeFile(join(ROOT, path), optionsText(namespaces, options))
      console.log(`wrote ${path}`)
    }
  }
}

if (import.meta.main) {
  const {values, positionals} = parseArgs({allowPositionals: true, options: {release: {type: 'string'}}})
  await writeOptions(positionals, values.release)
}
