import {createHash} from 'node:crypto'
import {existsSync} from 'node:fs'
import {mkdir, readdir, readFile, rename, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {CLUSTER_KIT} from '../toolbox/recipe.ts'
import {type Entry, textEntry} from './archive.ts'
import {type Architecture, OTHER_NAMES} from './release.ts'

/**
 * Whichever Go this machine has, it uses this one, from its module proxy if needed, so that two builds have
 * the same bytes.
 */
const GO = 'go1.26.8'

/** The toolbox's helm, with which everything is tested. */
const ARGV = CLUSTER_KIT.steps('')
  .find(({binary}) => binary === 'helm4')!
  .argv('')

export interface GoModule {
  readonly path: string
  readonly version: string
}

export interface BuiltHelm {
  /** The program, and the licences of everything inside it. */
  readonly files: readonly Entry[]
  /** Helm itself, and its modules. */
  readonly modules: readonly GoModule[]
}

/** Builds helm for an architecture, once, into `cache`. Needs Go, and its module proxy. */
export async function helmFor(arch: Architecture, cache: string): Promise<BuiltHelm> {
  const go = async (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    (await execa('go', words, {env: {GOTOOLCHAIN: GO, GOWORK: 'off', GOFLAGS: '', ...env}})).stdout
  const key = createHash('sha256')
    .update(JSON.stringify([ARGV, GO, arch]))
    .digest('hex')
    .slice(0, 16)
  const helm = join(cache, `helm-${arch}-${key}`)
  const modules = (await go(['env', 'GOMODCACHE'])).trim()
  if (!existsSync(helm)) {
    const home = `${helm}.${process.pid}`
    await mkdir(home, {recursive: true})
    const target = {
      GOOS: 'linux',
      GOARCH: OTHER_NAMES[arch],
      CGO_ENABLED: '0',
      GOAMD64: 'v1',
      GOARM64: 'v8.0',
    }
    await go(ARGV, {...target, GOPATH: home, GOMODCACHE: modules, GOBIN: ''})
    // Go writes the binary of another architecture to a separate directory.
    const made = ['helm', `linux_${OTHER_NAMES[arch]}/helm`].map((path) => join(home, 'bin', path))
    await rename(made.find(existsSync)!, helm)
    await rm(home, {recursive: true})
  }
  const listed = (await go(['version', '-m', helm])).matchAll(/^\t(?:mod|dep)\t(\S+)\t(\S+)/gm)
  const found = [...listed].map(([, path = '', version = '']) => ({path, version}))
  return {
    files: [
      {path: 'usr/local/bin/helm', mode: 0o755, content: await readFile(helm)},
      textEntry('usr/share/doc/helm/copyright', (await notices(found, modules)).join('\n')),
    ],
    modules: found,
  }
}

/** Returns the licence files of modules, from Go's module cache. */
async function notices(found: readonly GoModule[], cache: string): Promise<readonly string[]> {
  const texts = found.map(async ({path, version}) => {
    // Go's encoding of capital letters (golang.org/x/mod/module: EscapePath).
    const escaped = `${path}@${version}`.replaceAll(/[A-Z]/g, (letter) => `!${letter.toLowerCase()}`)
    const directory = join(cache, escaped)
    const names = (await readdir(directory)).filter((name) => /^(?:licen[cs]e|copying|notice)/i.test(name))
    const files = await Promise.all(names.toSorted().map((name) => readFile(join(directory, name), 'utf8')))
    return [`==== ${path} ${version} ====`, ...files].join('\n')
  })
  return Promise.all(texts)
}
