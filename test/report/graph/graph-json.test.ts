import {expect, it} from 'vitest'
import {documentText} from '../../../src/report/document.ts'
import {graphDocument} from '../../../src/report/graph/graph-json.ts'
import {WITH_GROUP} from '../support/graphs.ts'

it('the graph as JSON is a stable document with every edge and its evidence', async () => {
  await expect(documentText(graphDocument(WITH_GROUP), 'json')).toMatchFileSnapshot(
    '../golden/graph.json.golden',
  )
})
