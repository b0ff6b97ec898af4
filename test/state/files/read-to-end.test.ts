import {Readable} from 'node:stream'
import {expect, it} from 'vitest'
import {loadSource} from '../../../src/environment/load.ts'
import {readNamedFile} from '../../../src/state/files/named-file.ts'

const ENDLESS = {code: 'KK_FILE', message: expect.stringContaining('expected at most 64 MiB, got more')}

it('ends what has no end: a device, an environment file, standard input', async () => {
  const chunk = Buffer.alloc(1024 * 1024)
  const stdin = Readable.from(
    (function* () {
      for (;;) yield chunk
    })(),
  )

  await expect(readNamedFile('/dev/zero')).rejects.toMatchObject(ENDLESS)
  await expect(loadSource({file: '/dev/zero'})).rejects.toMatchObject(ENDLESS)
  await expect(loadSource({file: '-', stdin})).rejects.toMatchObject(ENDLESS)
})

it('reads a pipe that ends', async () => {
  const {text} = await loadSource({file: '-', stdin: Readable.from(['a: ', 'é'])})

  expect(text).toBe('a: é')
})
