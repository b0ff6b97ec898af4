import {join} from 'node:path'
import {expect, it} from 'vitest'
import {directoryDestination} from '../../../src/charts/publishing/destination-directory.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import {openHelm} from '../../../src/helm/open.ts'
import {helmVersion} from '../../../src/helm/version.ts'
import type {ContentStore} from '../../../src/images/registry/content.ts'
import {openLayout} from '../../../src/images/registry/layout.ts'
import {prepare} from '../../../src/prepare/prepare.ts'
import {mirrorPlanText} from '../../../src/report/images/mirror-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {type ContentsPorts, environmentContents} from '../../../src/verbs/images/mirror/contents.ts'
import {type MirrorTarget, mirror, planMirror} from '../../../src/verbs/images/mirror/mirror.ts'
import {mirrorSettings} from '../../../src/verbs/images/mirror/settings.ts'
import {manifest, writeFiles} from '../../charts/support/write-files.ts'
import {pushImage} from '../../images/support/push-image.ts'
import {HELMS} from '../../support/helms.ts'
import {toolPath} from '../../support/tools.ts'

/** A pod with the image of a value, and with one that no value decides. */
const POD = `
apiVersion: v1
kind: Pod
metadata: {name: app}
spec:
  containers: [{name: app, image: {{ .Values.images.tags.app }}}]
  initContainers: [{name: first, image: "{{ .Values.first.name }}:{{ .Values.first.tag }}"}]
`
const VALUES = `
images: {tags: {app: "quay.io/ns/app:1"}}
first: {name: docker.io/library/first, tag: "1"}
`

async function openPorts(from: ContentStore): Promise<ContentsPorts> {
  const path = await toolPath(HELMS[0]!)
  const helm = openHelm({path, version: await helmVersion(path, process.env), env: process.env})
  return {helm, packages: {} as never, registries: () => from, locked: {}}
}

/** An environment of one chart, and the place where the registries of its images are. */
async function prepared(values = VALUES) {
  const directory = writeFiles({
    'charts/app/Chart.yaml': manifest('app'),
    'charts/app/values.yaml': values,
    'charts/app/templates/pod.yaml': POD,
  })
  const from = openLayout(writeFiles({}))
  const environment = readEnvironment({
    file: 'cloud.yaml',
    text: 'kk: {charts: [charts]}\napp: {}\n',
    directory,
  })
  const finding = {builtIn: async () => directory, cache: directory, packages: {} as never}
  return {
    from,
    ports: await openPorts(from),
    prepared: await prepare({environment, finding, values: [], sets: []}),
  }
}

function target(store: ContentStore = openLayout(writeFiles({}))): MirrorTarget {
  const charts = directoryDestination({path: join(writeFiles({}), 'charts'), url: undefined, now: new Date()})
  return {registry: 'site.example.org/cloud', prefix: 'cloud/', store, charts}
}

const QUIET = {signal: new AbortController().signal, onImage: () => {}}

it('the digest of kk.lock is copied even if the tag refers to another image now', async () => {
  const {from, ports, prepared: environment} = await prepared()
  const locked = await pushImage(from, ['ns/app', '1'], {layers: ['before']})
  await pushImage(from, ['ns/app', '1'], {layers: ['after']})
  await pushImage(from, ['library/first', '1'])
  const to = target()

  const contents = await environmentContents(environment, {...ports, locked: {'quay.io/ns/app:1': locked}})
  await mirror(await planMirror(contents, to), to, QUIET)

  expect(await to.store.digestOf('cloud/ns/app', '1')).toBe(locked)
})

it('an image in the mirror that would be replaced is reported before', async () => {
  const {from, ports, prepared: environment} = await prepared()
  const before = await pushImage(from, ['ns/app', '1'], {layers: ['before']})
  await pushImage(from, ['library/first', '1'])
  const to = target()
  await mirror(await planMirror(await environmentContents(environment, ports), to), to, QUIET)
  await pushImage(from, ['ns/app', '1'], {layers: ['after']})

  const plan = await planMirror(await environmentContents(environment, ports), to)

  expect(plan.images.map(({image, state, replaces}) => [image, state, replaces])).toEqual([
    ['docker.io/library/first:1', 'there', undefined],
    ['quay.io/ns/app:1', 'new', before],
  ])
  expect(viewText(mirrorPlanText(plan, 'site'))).toContain(`replaces ${before}`)
})

it('an interrupted mirror run resumes with the missing images', async () => {
  const {from, ports, prepared: environment} = await prepared()
  await pushImage(from, ['ns/app', '1'], {layers: ['one', 'two', 'three']})
  await pushImage(from, ['library/first', '1'], {layers: ['one', 'four']})
  const written: string[] = []
  const store = openLayout(writeFiles({}))
  const failing = (after: number) =>
    target({
      ...store,
      async writeBlob(repository, blob, read) {
        if (written.length >= after) throw new Error('the network is gone')
        written.push(blob.digest)
        await store.writeBlob(repository, blob, read)
      },
    })
  const contents = await environmentContents(environment, ports)
  const [first, second] = [failing(3), failing(Infinity)]
  await expect(mirror(await planMirror(contents, first), first, QUIET)).rejects.toThrow('the network is gone')

  await mirror(await planMirror(contents, second), second, QUIET)

  // Two configurations, which both images share, and four layers.
  expect(written).toHaveLength(6)
  expect(new Set(written).size).toBe(6)
  const {images, charts} = await planMirror(contents, second)
  expect([...images, ...charts].map(({state}) => state)).toEqual(['there', 'there', 'there'])
})

it('every unavailable image is reported, and nothing is copied', async () => {
  const {ports, prepared: environment} = await prepared()

  await expect(environmentContents(environment, ports)).rejects.toMatchObject({
    code: 'KK_IMAGE',
    message: [
      'these images cannot be read:',
      '  docker.io/library/first:1: the registry docker.io does not have library/first:1',
      '  quay.io/ns/app:1: the registry quay.io does not have ns/app:1',
    ].join('\n'),
  })
})

it('two images with the same name in the mirror are refused', async () => {
  const values = VALUES.replace('docker.io/library/first', 'docker.io/ns/app')
  const {from, ports, prepared: environment} = await prepared(values)
  await pushImage(from, ['ns/app', '1'])
  const other = await pushImage(openLayout(writeFiles({})), ['other', '1'])

  const contents = await environmentContents(environment, {...ports, locked: {'quay.io/ns/app:1': other}})

  await expect(planMirror(contents, target())).rejects.toMatchObject({
    message: 'docker.io/ns/app:1 and quay.io/ns/app:1 would have the same name in the mirror',
  })
})

it('the settings contain each value that is an image, and list images that no value sets', async () => {
  const {from, ports, prepared: environment} = await prepared()
  await pushImage(from, ['ns/app', '1'])
  await pushImage(from, ['library/first', '1'])
  const {images} = await planMirror(await environmentContents(environment, ports), target())

  const found = await mirrorSettings(environment, {
    helm: ports.helm,
    names: new Map(images.map(({image, name}) => [image, name])),
    registry: 'site.example.org/cloud',
  })

  expect(found).toEqual({
    settings: {app: {images: {tags: {app: 'site.example.org/cloud/ns/app:1'}}}},
    unplaced: ['docker.io/library/first:1'],
  })
})

it('charts of repositories are taken from the mirror, with their settings from the file', async () => {
  const {ports, prepared: environment} = await prepared()
  const remote = {kind: 'oci', url: 'oci://registry.example.org/charts'} as const
  const digest = `sha256:${'0'.repeat(64)}`
  const directory = environment.environment.directory
  const sources = [
    remote,
    {kind: 'repository', url: 'https://charts.example.org'} as const,
    {...remote, digest, keyring: join(directory, 'keys.gpg')},
    ...environment.environment.charts,
    {kind: 'built-in'} as const,
  ]

  const {settings} = await mirrorSettings(
    {...environment, environment: {...environment.environment, charts: sources}},
    {helm: ports.helm, names: new Map(), registry: 'site.example.org'},
  )

  const oci = 'oci://site.example.org/charts'
  expect(settings).toEqual({kk: {charts: [oci, {oci, digest, keyring: 'keys.gpg'}, 'charts', 'built-in']}})
})
