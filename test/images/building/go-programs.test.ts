import {createHash} from 'node:crypto'
import {mkdir, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, it, onTestFinished, vi} from 'vitest'
import {goPrograms} from '../../../src/images/building/go-programs.ts'
import {testDirectory} from '../../support/test-directory.ts'

/** `go build` names the program at its root after the part before its major version. */
const MODULE = 'example.org/hello/v2'
const MAIN = 'package main\n\nfunc main() {\n\tprintln("hello")\n}\n'
const PATCH = `--- a/main.go
+++ b/main.go
@@ -1,5 +1,5 @@
 package main
 
 func main() {
-	println("hello")
+	println("patched")
 }
`

let sum = ''
let directory = ''

/** A module proxy in a directory, with one module: https://go.dev/ref/mod#goproxy-protocol */
async function moduleProxy(): Promise<void> {
  const versions = join(directory, 'proxy', MODULE, '@v')
  const sources = join(directory, 'zip', `${MODULE}@v2.0.0`)
  await mkdir(versions, {recursive: true})
  await mkdir(join(sources, 'cmd/hello'), {recursive: true})
  const manifest = `module ${MODULE}\n\ngo 1.26\n`
  await writeFile(join(versions, 'v2.0.0.info'), '{"Version": "v2.0.0"}')
  await writeFile(join(versions, 'v2.0.0.mod'), manifest)
  await writeFile(join(sources, 'go.mod'), manifest)
  for (const file of ['main.go', 'cmd/hello/main.go']) await writeFile(join(sources, file), MAIN)
  // Directories are no part of such an archive.
  const zip =
    'import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w") as all: [all.write(each) for each in sys.argv[2:]]'
  const files = ['go.mod', 'main.go', 'cmd/hello/main.go'].map((file) => `${MODULE}@v2.0.0/${file}`)
  await execa('python3', ['-c', zip, join(versions, 'v2.0.0.zip'), ...files], {cwd: join(directory, 'zip')})
}

beforeAll(async () => {
  directory = testDirectory()
  await moduleProxy()
  vi.stubEnv('GOPROXY', `file://${join(directory, 'proxy')}`)
  vi.stubEnv('GONOSUMDB', 'example.org')
  vi.stubEnv('GOMODCACHE', join(directory, 'modules'))
  vi.stubEnv('GOFLAGS', '-modcacherw')
  const {stdout} = await execa('go', ['mod', 'download', '-json', `${MODULE}@v2.0.0`])
  sum = (JSON.parse(stdout) as {readonly Sum: string}).Sum
  return async () => {
    vi.unstubAllEnvs()
  }
})

const sha256 = (text: Buffer) => createHash('sha256').update(text).digest('hex')

/** Builds it for an image with these files; returns where it is, and what it holds. */
async function built(files: Readonly<Record<string, string>>, {sum: stated = sum, own = false} = {}) {
  const work = testDirectory()
  for (const place of ['folder', 'context']) await mkdir(join(work, place))
  for (const [file, text] of Object.entries(files)) await writeFile(join(work, 'folder', file), text)
  const go = own
    ? {packages: ['.', `${MODULE}/cmd/hello`]}
    : {module: {name: `${MODULE}@v2.0.0`, sum: stated}, packages: ['.']}
  const into = join(work, 'context')
  const modules = await goPrograms({name: 'hello', folder: join(work, 'folder'), go}, {work, into})
  return {program: join(into, 'hello'), own: join(into, 'folder'), modules}
}

describe('a Go program of an image', () => {
  it('is built from its module, which is in the package list', async () => {
    const {program, modules} = await built({Containerfile: ''})

    expect((await execa(program)).stderr).toBe('hello')
    expect(modules).toEqual([{type: 'golang', name: MODULE, version: 'v2.0.0'}])
  })

  it('is built with the patches in its folder, without changing the module cache of Go', async () => {
    const {program} = await built({'other.patch': PATCH})

    expect((await execa(program)).stderr).toBe('patched')
    expect((await execa((await built({})).program)).stderr).toBe('hello')
  })

  it('is built from the folder, together with one from a required module, as pinned in go.sum', async () => {
    const manifest = await readFile(join(directory, 'proxy', MODULE, '@v/v2.0.0.mod'))
    const ofManifest = `h1:${createHash('sha256')
      .update(`${sha256(manifest)}  go.mod\n`)
      .digest('base64')}`
    const files = {
      'go.mod': `module folder\n\ngo 1.26\n\ntool ${MODULE}/cmd/hello\n\nrequire ${MODULE} v2.0.0\n`,
      'main.go': MAIN.replace('hello', 'own'),
    }
    const sums = (hash: string) => ({
      'go.sum': `${MODULE} v2.0.0 ${hash}\n${MODULE} v2.0.0/go.mod ${ofManifest}\n`,
    })

    const {program, own, modules} = await built({...files, ...sums(sum)}, {own: true})

    expect((await execa(program)).stderr).toBe('hello')
    expect((await execa(own)).stderr).toBe('own')
    expect(modules).toEqual([{type: 'golang', name: MODULE, version: 'v2.0.0'}])
    const other = sums(sum.replace(/.{9}=$/, 'different='))
    await expect(built({...files, ...other}, {own: true})).rejects.toMatchObject({code: 'KK_IMAGE'})
  })

  it('is not built from sources with another hash, nor if a patch does not apply', async () => {
    await expect(built({}, {sum: 'h1:other='})).rejects.toMatchObject({
      code: 'KK_IMAGE',
      message: `the module ${MODULE}@v2.0.0 has changed: its hash is ${sum}, expected h1:other=`,
    })
    await expect(built({'old.patch': PATCH.replace('"hello"', '"hallo"')})).rejects.toMatchObject({
      code: 'KK_IMAGE',
      message: 'git apply failed',
    })
  })

  it('requires Go', async () => {
    const path = process.env['PATH']
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => void vi.stubEnv('PATH', path))

    await expect(built({})).rejects.toMatchObject({code: 'KK_IMAGE_TOOLS'})
  })
})
