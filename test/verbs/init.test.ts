import {mkdir, readdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {openFinding} from '../../src/cli/open/charts.ts'
import {loadEnvironment} from '../../src/environment/load.ts'
import {PROFILES} from '../../src/environment/profiles.ts'
import {type Starter, schemaText} from '../../src/environment/starter.ts'
import {environmentName, initEnvironment, ownCharts} from '../../src/verbs/init.ts'
import {testDirectory} from '../support/test-directory.ts'

const charts = await ownCharts(openFinding(undefined))
const STARTER: Starter = {
  name: 'lab',
  namespace: 'openstack',
  context: undefined,
  ephemeral: true,
  registry: 'registry.example.org/cloud',
  profile: undefined,
  domain: 'cloud.example.org',
  services: ['keystone', 'glance'],
}

let directory: string
/** How often the schema was made, which takes some time. */
let schemas = 0
beforeEach(async () => {
  directory = testDirectory()
  schemas = 0
})

const init = (starter: Partial<Starter> = {}, {name = 'kk.yaml', dryRun = false} = {}) =>
  initEnvironment({
    ...{file: join(directory, name), starter: {...STARTER, ...starter}, charts, dryRun},
    schema: () => {
      schemas += 1
      return Promise.resolve(schemaText())
    },
  })

describe('a new environment', () => {
  it('contains the answers', async () => {
    await init({context: 'production:1', namespace: 'cloud'})

    const {name, namespace, context, global, sections} = await loadEnvironment({
      file: join(directory, 'kk.yaml'),
    })
    expect({name, namespace, context, global, sections: [...sections]}).toEqual({
      name: 'lab',
      namespace: 'cloud',
      context: 'production:1',
      global: {images: {registry: 'registry.example.org/cloud'}, storage: {ephemeral: true}},
      sections: [
        ['keystone', {}],
        ['glance', {}],
      ],
    })
  })

  it("uses kolla's images by the feature kolla, without a registry", async () => {
    await init({registry: 'upstream'})

    const {features, global} = await loadEnvironment({file: join(directory, 'kk.yaml')})
    expect({features, global}).toEqual({features: ['kolla'], global: {storage: {ephemeral: true}}})
  })

  it.each([
    ['localhost:5010', 'Only the nodes of this machine can pull'],
    ['registry.example.org', 'kk images build --push registry.example.org'],
  ])('states how the images come to %s', async (registry, advice) => {
    expect((await init({registry})).text).toContain(advice)
  })

  it('refers to the schema next to it in its first line', async () => {
    await init()

    const [first] = (await readFile(join(directory, 'kk.yaml'), 'utf8')).split('\n')
    const schema = JSON.parse(await readFile(join(directory, 'environment.schema.json'), 'utf8')) as object
    expect(first).toBe('# yaml-language-server: $schema=environment.schema.json')
    expect(schema).toHaveProperty('properties.kk')
  })

  it('has every other chart as a comment that can be uncommented', async () => {
    const {text} = await init()

    const others = [...text.matchAll(/^# ([a-z-]+: \{\}) +# \S/gm)].map(([, section = '']) => section)
    expect(others.toSorted()).toEqual(
      [...charts.keys()]
        .filter((chart) => !STARTER.services.includes(chart))
        .map((chart) => `${chart}: {}`)
        .toSorted(),
    )
  })

  it.each(['yes', '1:30', 'null', '0x10'])('can belong to a context of the name %s', async (context) => {
    await init({context})

    expect(await loadEnvironment({file: join(directory, 'kk.yaml')})).toMatchObject({context})
  })
})

describe('an existing file', () => {
  it('is not overwritten', async () => {
    await writeFile(join(directory, 'kk.yaml'), 'mine: {}\n')

    await expect(init()).rejects.toMatchObject({
      code: 'KK_FILE',
      message: expect.stringContaining('exists already; nothing was written'),
    })
    expect(await readdir(directory)).toEqual(['kk.yaml'])
    expect(await readFile(join(directory, 'kk.yaml'), 'utf8')).toBe('mine: {}\n')
  })

  it('stays in .gitignore, which a second environment does not change', async () => {
    await writeFile(join(directory, '.gitignore'), 'dist')

    const {written} = await init()
    const grown = await readFile(join(directory, '.gitignore'), 'utf8')
    const second = await init({}, {name: 'second.yaml'})

    expect(written.map((path) => path.slice(directory.length + 1))).toEqual([
      'kk.yaml',
      '.gitignore',
      'environment.schema.json',
    ])
    expect(grown).toMatch(/^dist\n\n# .*\n\/secrets\/\n\*\.secrets\.yaml\n/)
    expect(second.written).toEqual([join(directory, 'second.yaml')])
    expect(schemas).toBe(1)
    expect(await readFile(join(directory, '.gitignore'), 'utf8')).toBe(grown)
  })
})

it('a dry run of init writes nothing', async () => {
  const {text} = await init({}, {dryRun: true})

  expect(text).toContain('\nkeystone: {}\n')
  expect(await readdir(directory)).toEqual([])
  expect(schemas).toBe(0)
})

it.each<[string, Partial<Starter>, string]>([
  ['a service without a chart', {services: ['keystome']}, 'kk has no chart "keystome"'],
  ['no service', {services: []}, 'expected at least one service'],
  ['a library', {services: ['common']}, 'kk has no chart "common"'],
  ['a namespace that cannot be', {namespace: 'A_b'}, '--namespace: expected the name of a namespace'],
  ['a registry with a scheme', {registry: 'https://registry.example.org'}, '--registry: expected a registry'],
  ['a domain with a scheme', {domain: 'https://cloud.example.org'}, '--domain: expected the name'],
  ['an empty registry', {registry: ''}, '--registry: expected a registry'],
  ['a name that cannot be', {name: '-'}, '--name: expected a name'],
])('init refuses %s and writes nothing', async (_, starter, message) => {
  await expect(init(starter)).rejects.toMatchObject({
    code: 'KK_USAGE',
    message: expect.stringContaining(message),
  })
  expect(await readdir(directory)).toEqual([])
  expect(schemas).toBe(0)
})

it.each([
  ['kk.json', 'KK_USAGE'],
  ['missing/kk.yaml', 'KK_FILE'],
])('init refuses the file %s', async (name, code) => {
  await expect(init({}, {name})).rejects.toMatchObject({code})
})

it('a .gitignore that cannot be read is not replaced', async () => {
  await mkdir(join(directory, '.gitignore'))

  await expect(init()).rejects.toMatchObject({code: 'KK_FILE'})
  expect(await readdir(directory)).toEqual(['.gitignore'])
})

it.each([
  ['/srv/lab/kk.yaml', 'lab'],
  ['/srv/environments/production.yaml', 'production'],
  ['lab.yml', 'lab'],
  ['/kk.yaml', 'my-cloud'],
  ['/srv/a cloud/kk.yaml', 'my-cloud'],
])('an environment in %s is offered the name %s', (path, name) => {
  expect(environmentName(path)).toBe(name)
})

describe('a profile', () => {
  it.each(Object.entries(PROFILES))('%s deploys services that kk has', async (profile, {services}) => {
    await init({profile, services})

    const {sections} = await loadEnvironment({file: join(directory, 'kk.yaml')})
    expect([...sections.keys()]).toEqual(services)
  })

  it('for production has the domain of its users', async () => {
    await init({profile: 'production', domain: 'cloud.test', services: PROFILES.production!.services})

    const {global} = await loadEnvironment({file: join(directory, 'kk.yaml')})
    expect(global).toMatchObject({
      ingress: {enabled: true, domain: 'cloud.test'},
      tls: {public: true},
      storage: {backend: 'ceph'},
    })
  })

  it('for production has commented settings that form valid sections', async () => {
    const {text} = await init({profile: 'production', services: PROFILES.production!.services})
    const uncommented = text.replaceAll(/^ {2}# (?=(?: *[a-z_]+:))/gm, '  ')
    await writeFile(join(directory, 'uncommented.yaml'), uncommented)

    const {sections} = await loadEnvironment({file: join(directory, 'uncommented.yaml')})
    expect(sections.get('ovn')).toMatchObject({conf: {chassis: {tunnel_interface: 'bond0.20'}}})
    expect(sections.get('ceph')).toMatchObject({pod: {replicas: {osd: 9}}})
  })
})
