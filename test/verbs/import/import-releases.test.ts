import {describe, expect, it} from 'vitest'
import type {StoredRelease} from '../../../src/cluster/cluster.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {ReleaseId, Values} from '../../../src/release.ts'
import {environmentText} from '../../../src/report/import/environment-text.ts'
import {importReleases} from '../../../src/verbs/import/import-releases.ts'
import {env, workload} from '../../charts-reading/manifests/manifests.ts'

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

async function importedFrom(releases: readonly StoredRelease[], showSecrets = false) {
  return importReleases({
    cluster: {
      context: 'lab',
      records: async () => releases,
      stored: async (release) => releases.find((each) => each.release === release),
    },
    name: 'lab',
    namespace: undefined,
    charts: ['charts'],
    showSecrets,
  })
}

describe('an environment made of what plain helm installed', () => {
  it('has its values, and is read back as they were', async () => {
    const text = environmentText(await importedFrom([DB, WEB, OWN], true))

    const {name, namespace, releases, sections} = readEnvironment({file: 'lab.yaml', text, directory: '/'})

    expect({name, namespace}).toEqual({name: 'lab', namespace: 'data'})
    expect(Object.fromEntries(sections)).toEqual({db: DB.values, web: WEB.values})
    expect(releases.get('web')).toMatchObject({chart: 'nginx', version: '2.0.0'})
  })

  it('says in comments what requires what, and what is not known', async () => {
    const text = environmentText(await importedFrom([DB, WEB]))

    expect(text).toContain(
      '# requires db: Deployment/api init container init, DEPENDENCY_SERVICE data:db\nweb:',
    )
    expect(text).toContain('# - web is failed: its values are those of its last revision\n')
  })

  it('has no secrets unless they are asked for, and says which are missing', async () => {
    const {releases, lost} = await importedFrom([DB])

    expect(releases[0]!.values).toEqual({size: 1, auth: {user: 'kk'}})
    expect(lost).toEqual(['secrets of db, left out: auth.password; --show-secrets writes them'])
  })

  it('leaves out releases whose name means something else in an environment, and says so', async () => {
    const imported = await importedFrom([DB, stored('data/kk', {password: 'x'}), stored('data/global', {})])

    const {sections} = readEnvironment({file: 'lab.yaml', text: environmentText(imported), directory: '/'})

    expect([...sections.keys()]).toEqual(['db'])
    expect(imported.lost).toEqual([
      'data/global is left out: a section of that name is no release, so it stays with helm',
      'data/kk is left out: a section of that name is no release, so it stays with helm',
      expect.stringMatching(/^secrets of db/),
    ])
  })

  it('is not made of what kk installed', async () => {
    await expect(importedFrom([OWN])).rejects.toMatchObject({code: 'KK_NOT_INSTALLED'})
  })
})
