import {buffer} from 'node:stream/consumers'
import {gzipSync} from 'node:zlib'
import {pack} from 'tar-stream'
import {expect, it} from 'vitest'
import {readPackageFiles} from '../../../src/charts/files/package-files.ts'

type Entry = readonly [name: string, content: string, type?: 'file' | 'directory' | 'symlink']

async function archive(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack()
  for (const [name, content, type = 'file'] of entries)
    tar.entry({name, type, linkname: '/etc/passwd'}, content)
  tar.finalize()
  return gzipSync(await buffer(tar))
}

it('the files of a package are those below its only directory, sorted', async () => {
  const long = 'x'.repeat(150)
  const bytes = await archive([
    ['demo/', '', 'directory'],
    ['demo/values.yaml', 'a: 1'],
    ['demo/Chart.yaml', 'name: demo'],
    ['demo/./files/link', '', 'symlink'],
    [`demo/files/${long}`, 'long'],
  ])

  const files = await readPackageFiles(bytes, 'demo.tgz')

  expect(files.map(({path, bytes}) => [path, bytes.toString()])).toEqual([
    ['Chart.yaml', 'name: demo'],
    ['files/link', ''],
    [`files/${long}`, 'long'],
    ['values.yaml', 'a: 1'],
  ])
})

it.each([
  'demo/../../evil',
  'demo//etc/passwd',
  '/etc/passwd/..',
  'Chart.yaml',
  'demo\\..\\evil',
  'demo/c:/evil',
])('a package with the path %s is refused', async (name) => {
  const bytes = await archive([[name, 'x']])

  await expect(readPackageFiles(bytes, 'demo.tgz')).rejects.toMatchObject({
    code: 'KK_CHART',
    message: expect.stringContaining(`the path ${JSON.stringify(name)} is not in one directory`),
  })
})

it('a package with a link to a directory is refused if that directory also has files', async () => {
  const bytes = await archive([
    ['demo/templates', '', 'symlink'],
    ['demo/templates/a.yaml', 'kind: A'],
  ])

  await expect(readPackageFiles(bytes, 'demo.tgz')).rejects.toMatchObject({
    code: 'KK_CHART',
    message: expect.stringContaining('templates is a file, and templates/a.yaml is in it'),
  })
})

it('a package that unpacks to more than helm would load is refused', async () => {
  const bytes = gzipSync(Buffer.alloc(101 * 1024 * 1024), {level: 1})

  await expect(readPackageFiles(bytes, 'demo.tgz')).rejects.toMatchObject({code: 'KK_CHART'})
})

it.each([
  ['no gzip', Buffer.from('<html>not found</html>')],
  ['cut off', gzipSync('x'.repeat(5000)).subarray(0, 20)],
])('a file that is %s is no package', async (_, bytes) => {
  await expect(readPackageFiles(bytes, 'demo.tgz')).rejects.toThrow(/demo.tgz is not the package of a chart/)
})
