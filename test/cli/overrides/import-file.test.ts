import {readdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, expect, it} from 'vitest'
import {importFile} from '../../../src/cli/overrides/import-file.ts'
import {importedText} from '../../../src/report/overrides/overrides-text.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
beforeEach(async () => {
  directory = testDirectory()
  await writeFile(join(directory, 'saved.yaml'), 'version: 1\noverrides: {nova: {openstack: {a: 1}}}\n')
})

async function imported(dryRun: boolean, facts?: string) {
  const said: string[] = []
  const flags = {store: join(directory, 'store.sqlite'), prune: false, yes: true, 'dry-run': dryRun, facts}
  const changed = await importFile(join(directory, 'saved.yaml'), flags, (line) => said.push(line))
  return {changed, said}
}

const SET = {changed: [{name: 'nova', namespace: 'openstack', action: 'set'}], secrets: []}

it('a dry run of an import reports the changes, and creates no store', async () => {
  const {changed, said} = await imported(true)

  expect(changed).toEqual(SET)
  expect(said).toEqual([`no override store yet at ${directory}/store.sqlite`])
  expect(await readdir(directory)).toEqual(['saved.yaml'])
})

it('an import creates the store; a dry run afterwards reports no changes', async () => {
  expect((await imported(false)).changed).toEqual(SET)
  expect(await imported(true)).toEqual({changed: {changed: [], secrets: []}, said: []})
})

it.each([
  ['{charts: {rabbitmq: [openstack], nova-api-proxy: [openstack]}}', 'KK_UNKNOWN_CHART'],
  ['{charts: {nova: [openstack], ingress: [kube-system]}}', undefined],
])('an import with the facts %s refuses inactive charts: %s', async (text, code) => {
  const facts = join(directory, 'facts.yaml')
  await writeFile(facts, text)
  const attempt = imported(true, facts)

  if (code === undefined) expect((await attempt).changed).toEqual(SET)
  else await expect(attempt).rejects.toMatchObject({code})
})

it('an import that only sets secrets reports them and the new identity of the store', async () => {
  const id = '01234567-89ab-cdef-0123-456789abcdef'
  const text = `version: 1\nstore: ${id}\nstate: 0\nsecrets: {openstack: {admin: hedgehog}}\n`
  await writeFile(join(directory, 'saved.yaml'), text)

  const {changed} = await imported(true)

  expect(changed).toEqual({changed: [], secrets: [{name: 'admin', namespace: 'openstack'}], becomes: id})
  expect(importedText(changed, true)).toBe(
    `would set the secret admin in openstack\nwould become the store ${id}\n`,
  )
})
