import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {writeOwnedFiles} from '../../../src/state/files/owned-files.ts'
import {writeFiles} from '../../charts/support/write-files.ts'

it('deletes the files of earlier writes, and none outside of the directory, whatever its marker lists', async () => {
  const home = writeFiles({'kept.yaml': '', 'out/.mark': '../kept.yaml\nold.yaml\n', 'out/old.yaml': ''})
  const files = new Map([['new.yaml', {content: '', mode: 0o644}]])

  await writeOwnedFiles(join(home, 'out'), files, {marker: '.mark', partial: false})

  expect((await readdir(home)).sort()).toEqual(['kept.yaml', 'out'])
  expect((await readdir(join(home, 'out'))).sort()).toEqual(['.mark', 'new.yaml'])
})
