import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, expect, it, vi} from 'vitest'
import {openReportFiles} from '../../../src/cli/run/report-files.ts'
import {testDirectory} from '../../support/test-directory.ts'

let directory: string
beforeEach(async () => {
  directory = testDirectory()
})

it.each([
  ['a file', () => join(directory, 'kk.json'), () => join(directory, 'kk.rollback.json')],
  ['a device', () => '/dev/null', () => '/dev/null'],
])(
  'the report of a rollback is written next to that of the run, unless the target is a device: %s',
  async (_, of, to) => {
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)

    await openReportFiles([`json=${of()}`], 'rollback')

    const [[line] = []] = said.mock.calls
    said.mockRestore()
    expect(line).toBe(`reports of the rollback: ${to()}\n`)
    expect(await readdir(directory)).toEqual([])
  },
)
