import {mkdtemp, readdir, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {afterEach, beforeEach, expect, it} from 'vitest'
import {importFile} from '../../../src/cli/overrides/import-file.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kk-import-'))
  await writeFile(join(directory, 'saved.yaml'), 'version: 1\noverrides: {nova: {openstack: {a: 1}}}\n')
})
afterEach(() => rm(directory, {recursive: true}))

async function imported(dryRun: boolean) {
  const said: string[] = []
  const flags = {store: join(directory, 'store.sqlite'), prune: false, yes: true, 'dry-run': dryRun}
  const changed = await importFile(join(directory, 'saved.yaml'), flags, (line) => said.push(line))
  return {changed, said}
}

const SET = [{name: 'nova', namespace: 'openstack', action: 'set'}]

it('a dry run says what would change, and makes no store', async () => {
  const {changed, said} = await imported(true)

  expect(changed).toEqual(SET)
  expect(said).toEqual([`no store of overrides yet at ${directory}/store.sqlite`])
  expect(await readdir(directory)).toEqual(['saved.yaml'])
})

it('an import makes the store; then a dry run finds nothing to change', async () => {
  expect((await imported(false)).changed).toEqual(SET)
  expect(await imported(true)).toEqual({changed: [], said: []})
})
