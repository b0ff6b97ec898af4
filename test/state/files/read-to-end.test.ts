import {open} from 'node:fs/promises'
import {join} from 'node:path'
import {PassThrough, Readable} from 'node:stream'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {loadSource} from '../../../src/environment/load.ts'
import {readNamedFile, readToEnd} from '../../../src/state/files/named-file.ts'
import {testDirectory} from '../../support/test-directory.ts'

const ENDLESS = {code: 'KK_FILE', message: expect.stringContaining('expected at most 64 MiB, got more')}

it('stops reading endless input: a device, an environment file, standard input', async () => {
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

async function namedPipe(): Promise<string> {
  const directory = testDirectory()
  const pipe = join(directory, 'values.yaml')
  await execa('mkfifo', [pipe])
  return pipe
}

it('stops reading a named pipe without a writer', async () => {
  const reading = readNamedFile(await namedPipe(), {what: '--values db', silenceMilliseconds: 50})

  await expect(reading).rejects.toMatchObject({
    code: 'KK_FILE',
    message: '--values db: no input for 0.05 s, and it has not ended',
  })
})

it('stops reading silent standard input', async () => {
  await expect(readToEnd(new PassThrough(), 'standard input', 50)).rejects.toMatchObject({
    code: 'KK_FILE',
    message: 'standard input: no input for 0.05 s, and it has not ended',
  })
})

it('reads a named pipe whose writer starts late', async () => {
  const pipe = await namedPipe()
  const reading = readNamedFile(pipe)

  const writer = await open(pipe, 'w')
  await writer.writeFile('a: 1\n')
  await writer.close()

  expect(await reading).toBe('a: 1\n')
})

it('reads a process substitution of a shell', async () => {
  const script = `import {readNamedFile} from '${join(import.meta.dirname, '../../../src/state/files/named-file.ts')}'
    process.stdout.write(await readNamedFile(process.argv[1]))`
  const words = ['-c', '"$0" --input-type=module --eval "$1" <(echo a: 1)', process.execPath, script]

  expect((await execa('bash', words)).stdout).toBe('a: 1')
})

it('reads a pipe to its end', async () => {
  const {text} = await loadSource({file: '-', stdin: Readable.from(['a: ', 'é'])})

  expect(text).toBe('a: é')
})
