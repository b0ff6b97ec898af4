import {existsSync} from 'node:fs'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {temporaryDirectory} from '../../src/state/temporary-directory.ts'

it('a temporary directory goes when it is removed', async () => {
  const directory = await temporaryDirectory('kk-test-')
  expect(existsSync(directory.path)).toBe(true)

  await directory.remove()

  expect(existsSync(directory.path)).toBe(false)
})

it('it goes when the process ends without removing it', async () => {
  const module = JSON.stringify(new URL('../../src/state/temporary-directory.ts', import.meta.url))
  const script = `import {temporaryDirectory} from ${module}
    console.log((await temporaryDirectory('kk-test-')).path)
    process.exit(130)`

  const {stdout} = await execa({reject: false})('node', ['--input-type=module', '--eval', script], {
    preferLocal: true,
  })

  expect(stdout).toMatch(/kk-test-/)
  expect(existsSync(stdout)).toBe(false)
})
