import {describe, expect, it} from 'vitest'
import {type RunRecord, runRecords} from '../../../src/kubernetes/records/runs.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'
import {runRecord} from '../support/run-record.ts'

const MAPS = '/api/v1/namespaces/kk-system/configmaps'

interface ConfigMap {
  metadata: {name: string; labels: Record<string, string>}
  data: Record<string, string>
}

/**
 * The API server as far as ConfigMaps in `kk-system` go; the namespace exists from the first request for it.
 */
async function server(maps: ConfigMap[] = [], namespaceExists = true) {
  let exists = namespaceExists
  const scripted = await scriptedServer(({method, path, query, body}, response) => {
    const name = path.slice(MAPS.length + 1)
    if (path === '/api/v1/namespaces') {
      exists = true
      return json(response, {}, 201)
    }
    if (method === 'PATCH') {
      if (!exists) return refuse(response, 404, 'namespaces "kk-system" not found')
      maps = [...maps.filter(({metadata}) => metadata.name !== name), JSON.parse(body)]
      return json(response, {})
    }
    if (method === 'DELETE') {
      maps = maps.filter(({metadata}) => metadata.name !== name)
      return json(response, {})
    }
    const found = maps.find(({metadata}) => metadata.name === name)
    if (name !== '') return found ? json(response, found) : refuse(response, 404, 'not found')
    const [, owner] = (query.get('labelSelector') ?? '').split('kk.openstack.org/environment=')
    const items = maps.filter(({metadata: {labels}}) =>
      owner ? labels['kk.openstack.org/environment'] === owner : true,
    )
    json(response, {metadata: {resourceVersion: '1'}, items})
  })
  return {records: runRecords(scripted.client), names: () => maps.map(({metadata}) => metadata.name).sort()}
}

function recordOf(id: string, more: Partial<RunRecord> = {}): RunRecord {
  return runRecord({id, startedAt: `2026-11-21T08:00:${id.padStart(2, '0')}.000Z`, ...more})
}

describe('the record of a run', () => {
  it('is a ConfigMap in kk-system, which is created if missing', async () => {
    const {records, names} = await server([], false)

    await records.write(recordOf('1'))

    expect(names()).toEqual(['kk-run-1'])
    expect(await records.read('1')).toEqual(recordOf('1'))
  })

  it('is replaced when it is written again', async () => {
    const {records} = await server()
    await records.write(recordOf('1'))

    await records.write(recordOf('1', {outcome: 'succeeded'}))

    expect(await records.list()).toEqual([recordOf('1', {outcome: 'succeeded'})])
  })

  it('is undefined if it does not exist', async () => {
    const {records} = await server()

    expect(await records.read('1')).toBeUndefined()
  })
})

describe('the records of runs', () => {
  it('are listed newest first, of one environment or of all', async () => {
    const {records} = await server()
    await records.write(recordOf('1'))
    await records.write(recordOf('3'))
    await records.write(recordOf('2', {environment: 'other'}))

    const ids = async (environment?: string) => (await records.list(environment)).map(({id}) => id)

    expect(await ids()).toEqual(['3', '2', '1'])
    expect(await ids('all-in-one')).toEqual(['3', '1'])
  })

  it.each([
    {what: 'of a newer format version', data: {form: '2', run: JSON.stringify(recordOf('9'))}},
    {what: 'if they are not JSON', data: {form: '1', run: '{'}},
    {what: 'if they contain something else', data: {form: '1', run: '[]'}},
  ])('are omitted $what', async ({data}) => {
    const {records} = await server([{metadata: {name: 'kk-run-9', labels: {}}, data}])

    expect(await records.list()).toEqual([])
  })

  it('are pruned to the newest of their environment', async () => {
    const {records, names} = await server()
    for (const id of ['1', '2', '3']) await records.write(recordOf(id))
    await records.write(recordOf('4', {environment: 'other'}))

    await records.prune('all-in-one', 2)

    expect(names()).toEqual(['kk-run-2', 'kk-run-3', 'kk-run-4'])
  })
})
