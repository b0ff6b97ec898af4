import {describe, expect, it} from 'vitest'
import {listAll} from '../../../src/kubernetes/api/list.ts'
import {json, refuse, scriptedServer} from '../support/api-server.ts'

const request = {path: '/api/v1/pods', summary: 'list pods'}

describe('a list', () => {
  it('is read page by page', async () => {
    const {client} = await scriptedServer(({query}, response) => {
      const page = Number(query.get('continue') ?? 0)
      json(response, {
        metadata: {resourceVersion: '7', continue: page < 2 ? String(page + 1) : ''},
        items: [page],
      })
    })

    await expect(listAll(client, request)).resolves.toEqual({items: [0, 1, 2], resourceVersion: '7'})
  })

  it('is empty when the server sends null for its items, as it does for metadata', async () => {
    const {client} = await scriptedServer((_, response) =>
      json(response, {metadata: {resourceVersion: '7'}, items: null}),
    )

    await expect(listAll(client, request)).resolves.toEqual({items: [], resourceVersion: '7'})
  })

  it('is read again without pages when the continue token has expired', async () => {
    const {client} = await scriptedServer(({query}, response) => {
      if (query.has('continue')) return refuse(response, 410, 'expired')
      const isWhole = !query.has('limit')
      json(response, {
        metadata: {resourceVersion: '9', continue: isWhole ? '' : '1'},
        items: isWhole ? [0, 1] : [0],
      })
    })

    await expect(listAll(client, request)).resolves.toEqual({items: [0, 1], resourceVersion: '9'})
  })
})
