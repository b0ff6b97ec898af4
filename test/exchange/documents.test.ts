import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readDocuments} from '../../src/exchange/documents.ts'
import {writeFiles} from '../charts/support/write-files.ts'

it('reads all YAML files below a directory except charts and hidden files, and splits Lists', async () => {
  const directory = writeFiles({
    'b.yaml': 'kind: B\n---\n---\nkind: C\n',
    'a/list.yml': 'kind: List\nitems: [{kind: D}, {kind: E}]\n',
    'charts/web/Chart.yaml': 'name: web\n',
    'charts/web/templates/x.yaml': '{{ broken }}',
    '.git/x.yaml': 'kind: F\n',
    'LOST.md': '# not: yaml',
  })

  expect(await readDocuments(directory)).toEqual([
    {file: 'a/list.yml', value: {kind: 'D'}},
    {file: 'a/list.yml', value: {kind: 'E'}},
    {file: 'b.yaml', value: {kind: 'B'}},
    {file: 'b.yaml', value: {kind: 'C'}},
  ])
})

it.each([
  ['is not there', {}, 'gone.yaml', 'gone.yaml cannot be read: ENOENT'],
  ['holds a list', {'x.yaml': '- a\n'}, 'x.yaml', 'x.yaml: expected maps as documents'],
])('rejects a file that %s', async (_, files, path, message) => {
  const directory = writeFiles(files)

  await expect(readDocuments(join(directory, path))).rejects.toThrow(
    expect.objectContaining({code: 'KK_FILE', message: expect.stringContaining(message)}),
  )
})

it('rejects concatenated files without a separator, of which one would be lost', async () => {
  const directory = writeFiles({'x.yaml': 'kind: A\nname: a\nkind: B\n'})

  await expect(readDocuments(join(directory, 'x.yaml'))).rejects.toThrow(
    expect.objectContaining({code: 'KK_YAML', message: expect.stringContaining('x.yaml:3:1')}),
  )
})
