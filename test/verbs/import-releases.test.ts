import {describe, expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {readEnvironment} from '../../src/environment/read.ts'
import type {StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import type {ReleaseId} from '../../src/release.ts'
import {environmentText} from '../../src/report/import/environment-text.ts'
import {importReleases} from '../../src/verbs/import-releases.ts'
import {port} from '../kubernetes/support/port.ts'
import {env, workload} from '../prepare/inference/manifests/manifests.ts'

function stored(release: ReleaseId, values: Values, more: Partial<StoredRelease> = {}): StoredRelease {
  return {
    release,
    revision: 3,
    status: 'deployed',
    labels: {},
    secret: {name: 'x', uid: 'x', resourceVersion: '1'},
    manifest: '',
    values,
    hooks: [],
    chart: {name: release.split('/')[1]!, version: '1.0.0', appVersion: '1'},
    applyMethod: undefined,
    ...more,
  }
}

const DB = stored(
  'data/db',
  {size: 1, auth: {user: 'kk', password: 'hunter2'}},
  {manifest: JSON.stringify({apiVersion: 'v1', kind: 'Service', metadata: {name: 'db'}, spec: {ports: []}})},
)
const WEB = stored(
  'data/web',
  {port: '080'},
  {
    status: 'failed',
    chart: {name: 'nginx', version: '2.0.0', appVersion: '1'},
    manifest: workload({init: env({DEPENDENCY_SERVICE: 'data:db'})}),
  },
)
const OWN = stored('data/own', {}, {labels: {'kk.openstack.org/owner': 'other'}})

interface Stated {
  readonly name?: string
  readonly charts?: readonly string[]
  readonly showSecrets?: boolean
}

async function importedFrom(releases: readonly StoredRelease[], stated: Stated = {}) {
  return importReleases({
    cluster: {
      context: 'lab',
      records: port({
        list: async () => releases,
        stored: async (release) => releases.find((each) => each.release === release),
      }),
    },
    name: 'lab',
    namespace: undefined,
    charts: ['charts'],
    showSecrets: false,
    ...stated,
  })
}

describe('an environment imported from releases of plain helm', () => {
  it('has their values unchanged', async () => {
    const text = environmentText(await importedFrom([DB, WEB, OWN], {showSecrets: true}))

    const {name, namespace, releases, sections} = readEnvironment({file: 'lab.yaml', text, directory: '/'})

    expect({name, namespace}).toEqual({name: 'lab', namespace: 'data'})
    expect(Object.fromEntries(sections)).toEqual({db: DB.values, web: WEB.values})
    expect(releases.get('web')).toMatchObject({chart: 'nginx', version: '2.0.0'})
  })

  it('has comments on inferred and unknown requirements', async () => {
    const text = environmentText(await importedFrom([DB, WEB]))

    expect(text).toContain(
      '# requires db: Deployment/api init container init, DEPENDENCY_SERVICE data:db\nweb:',
    )
    expect(text).toContain('# - web is failed: its values are those of its last revision\n')
  })

  it('has no secrets unless showSecrets is set, and lists the missing ones', async () => {
    const {releases, lost} = await importedFrom([DB])

    expect(releases[0]!.values).toEqual({size: 1, auth: {user: 'kk'}})
    expect(lost).toEqual(['secrets of db, omitted: auth.password; --show-secrets writes them'])
  })

  it('skips releases whose name is reserved in an environment, with a note', async () => {
    const imported = await importedFrom([DB, stored('data/kk', {password: 'x'}), stored('data/global', {})])

    const {sections} = readEnvironment({file: 'lab.yaml', text: environmentText(imported), directory: '/'})

    expect([...sections.keys()]).toEqual(['db'])
    expect(imported.lost).toEqual([
      'data/global is skipped: a section of that name is reserved, so helm keeps managing it',
      'data/kk is skipped: a section of that name is reserved, so helm keeps managing it',
      expect.stringMatching(/^secrets of db/),
    ])
  })

  it.each<[string, Partial<StoredRelease>, RegExp]>([
    [
      'data/a.b',
      {},
      /^data\/a\.b is skipped: an environment expects the name of a release: .*, not "a\.b", so helm keeps/,
    ],
    [
      'data/web',
      {chart: {name: '_x', version: '1', appVersion: '1'}},
      /expects the name of a chart, not "_x"/,
    ],
    ['data/web', {values: {global: 'secret'}}, /expects a map of values, not a string/],
  ])(
    'skips %s with a note, because an environment cannot contain the release: %j',
    async (id, more, said) => {
      const odd = stored(id as ReleaseId, more.values ?? {}, more)
      const imported = await importedFrom([DB, odd], {showSecrets: true})

      const {sections} = readEnvironment({file: 'lab.yaml', text: environmentText(imported), directory: '/'})

      expect([...sections.keys()]).toEqual(['db'])
      expect(imported.lost).toEqual([expect.stringMatching(said)])
    },
  )

  it('accepts the address of a repository as a source of charts', async () => {
    const {charts} = await importedFrom([DB], {charts: ['charts', 'https://charts.example.org']})

    expect(charts).toEqual(['charts', {repository: 'https://charts.example.org'}])
  })

  it.each([
    [{name: 'a b'}, /^--name: expected a name: .*, got "a b"$/],
    [{charts: ['']}, /^--charts: expected a path, .*, got ""$/],
  ])('is refused for settings that an environment cannot have: %j', async (more, message) => {
    const importing = importedFrom([DB], more)

    await expect(importing).rejects.toMatchObject({
      code: 'KK_USAGE',
      message: expect.stringMatching(message),
    })
  })

  it('does not contain releases that kk installed', async () => {
    await expect(importedFrom([OWN])).rejects.toMatchObject({code: 'KK_NOT_INSTALLED'})
  })
})
