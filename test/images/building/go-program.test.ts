import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, it, onTestFinished, vi} from 'vitest'
import {goProgram} from '../../../src/images/building/go-program.ts'

const MODULE = 'example.org/hello'
const MAIN = 'package main\n\nfunc main() {\n\tprintln("hello")\n}\n'
const PATCH = `--- a/cmd/hello/main.go
+++ b/cmd/hello/main.go
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
  const sources = join(directory, 'zip', `${MODULE}@v1.0.0`)
  await mkdir(versions, {recursive: true})
  await mkdir(join(sources, 'cmd/hello'), {recursive: true})
  const manifest = `module ${MODULE}\n\ngo 1.26\n`
  await writeFile(join(versions, 'v1.0.0.info'), '{"Version": "v1.0.0"}')
  await writeFile(join(versions, 'v1.0.0.mod'), manifest)
  await writeFile(join(sources, 'go.mod'), manifest)
  await writeFile(join(sources, 'cmd/hello/main.go'), MAIN)
  // Directories are no part of such an archive.
  const zip =
    'import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w") as all: [all.write(each) for each in sys.argv[2:]]'
  const files = ['go.mod', 'cmd/hello/main.go'].map((file) => `${MODULE}@v1.0.0/${file}`)
  await execa('python3', ['-c', zip, join(versions, 'v1.0.0.zip'), ...files], {cwd: join(directory, 'zip')})
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kk-go-test-'))
  await moduleProxy()
  vi.stubEnv('GOPROXY', `file://${join(directory, 'proxy')}`)
  vi.stubEnv('GONOSUMDB', 'example.org')
  vi.stubEnv('GOMODCACHE', join(directory, 'modules'))
  vi.stubEnv('GOFLAGS', '-modcacherw')
  const {stdout} = await execa('go', ['mod', 'download', '-json', `${MODULE}@v1.0.0`])
  sum = (JSON.parse(stdout) as {readonly Sum: string}).Sum
  return async () => {
    vi.unstubAllEnvs()
    await rm(directory, {recursive: true})
  }
})

/** Builds it for an image with these files; returns where it is, and what it holds. */
async function built(files: Readonly<Record<string, string>>, stated = sum) {
  const work = await mkdtemp(join(tmpdir(), 'kk-go-test-'))
  onTestFinished(() => rm(work, {recursive: true}))
  for (const place of ['folder', 'context']) await mkdir(join(work, place))
  for (const [name, text] of Object.entries(files)) await writeFile(join(work, 'folder', name), text)
  const go = {module: `${MODULE}@v1.0.0`, sum: stated, package: './cmd/hello'}
  const into = join(work, 'context')
  const modules = await goProgram({name: 'hello', folder: join(work, 'folder'), go}, {work, into})
  return {program: join(into, 'hello'), modules}
}

describe('the program that Go builds for an image', () => {
  it('is that of its module, which is named among what the image holds', async () => {
    const {program, modules} = await built({Containerfile: ''})

    expect((await execa(program)).stderr).toBe('hello')
    expect(modules).toEqual([{type: 'golang', name: MODULE, version: 'v1.0.0'}])
  })

  it('has the patches of its folder, and leaves the sources that Go keeps as they are', async () => {
    const {program} = await built({'other.patch': PATCH})

    expect((await execa(program)).stderr).toBe('patched')
    expect((await execa((await built({})).program)).stderr).toBe('hello')
  })

  it('is not built of sources with another hash, nor where a patch is for others', async () => {
    await expect(built({}, 'h1:other=')).rejects.toMatchObject({
      code: 'KK_IMAGE',
      message: `the module ${MODULE}@v1.0.0 is not what it was: ${sum} instead of h1:other=`,
    })
    await expect(built({'old.patch': PATCH.replace('"hello"', '"hallo"')})).rejects.toMatchObject({
      code: 'KK_IMAGE',
      message: 'git apply failed',
    })
  })

  it('needs a Go', async () => {
    const path = process.env['PATH']
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => void vi.stubEnv('PATH', path))

    await expect(built({})).rejects.toMatchObject({code: 'KK_IMAGE_TOOLS'})
  })
})
