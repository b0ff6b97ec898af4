import {copyFile, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {afterAll, beforeAll, expect, it} from 'vitest'
import pjson from '../../package.json' with {type: 'json'}
import {type Architecture, OTHER_NAMES} from '../../scripts/package/release.ts'

const ROOT = join(import.meta.dirname, '../..')
const ARCH = process.arch as Architecture
const NAME = `kk-${pjson.version}-linux-${ARCH}`

let work: string
let packages: string
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'kk-packages-'))
  packages = join(work, 'packages')
  await execa('node', ['scripts/package.ts', '--output-dir', packages], {cwd: ROOT, preferLocal: true})
})
afterAll(() => rm(work, {recursive: true}))

/** The same commit with the same changes, somewhere else. */
async function elsewhere(): Promise<string> {
  const copy = join(work, 'a directory', 'kk')
  await execa('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, copy])
  const {stdout: head} = await execa('git', ['rev-parse', 'HEAD'], {cwd: ROOT})
  await execa('git', ['checkout', '--quiet', '--detach', head], {cwd: copy})
  const {stdout} = await execa('git', ['ls-files', '-z', '--others', '--modified', '--exclude-standard'], {
    cwd: ROOT,
  })
  for (const path of stdout.split('\0').filter((each) => !['', 'node_modules'].includes(each))) {
    await mkdir(dirname(join(copy, path)), {recursive: true})
    await copyFile(join(ROOT, path), join(copy, path))
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

async function unpacked(name: string, unpack: (directory: string) => Promise<unknown>): Promise<string> {
  const directory = join(work, name)
  await mkdir(directory, {recursive: true})
  await unpack(directory)
  return directory
}

const versionOf = async (kk: string, args: readonly string[] = []) => {
  const {stdout} = await execa(kk, [...args, 'version', '--output', 'json'])
  return JSON.parse(stdout) as {readonly form: string; readonly commit: string; readonly node: string}
}

it('two builds of one commit give the same bytes, in another directory, time zone and language, by another user mask', async () => {
  const copy = await elsewhere()
  const again = join(work, 'again')
  const script = 'umask 077; exec node scripts/package.ts --output-dir "$0"'

  await execa('bash', ['-c', script, again], {
    cwd: copy,
    preferLocal: true,
    env: {TZ: 'Pacific/Auckland', LC_ALL: 'C', HOSTNAME: 'elsewhere', TMPDIR: join(work, 'a directory')},
  })

  const sums = await readFile(join(packages, 'SHA256SUMS'), 'utf8')
  expect(await readFile(join(again, 'SHA256SUMS'), 'utf8')).toBe(sums)
  expect((await execa('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {cwd: again})).exitCode).toBe(0)
})

it('each processor has an archive, a package of Debian and an image; checksums and an SBOM are beside them', async () => {
  const {version} = pjson

  expect((await readdir(packages)).toSorted()).toEqual(
    [
      ...['x64', 'arm64'].flatMap((arch) => [
        `kk-${version}-linux-${arch}.oci.tar`,
        `kk-${version}-linux-${arch}.tar.gz`,
        `kk_${version}_${OTHER_NAMES[arch as Architecture]}.deb`,
      ]),
      `kk-${version}.cdx.json`,
      'SHA256SUMS',
    ].toSorted(),
  )
})

it('dpkg-deb reads the package, and kk runs from it', async () => {
  const deb = join(packages, `kk_${pjson.version}_${OTHER_NAMES[ARCH]}.deb`)
  const root = await unpacked('deb', (directory) => execa('dpkg-deb', ['--extract', deb, directory]))
  const {stdout: info} = await execa('dpkg-deb', ['--info', deb])
  const {stdout: list} = await execa('dpkg-deb', ['--contents', deb])

  expect(info).toContain(`Architecture: ${OTHER_NAMES[ARCH]}`)
  expect(info).toMatch(/Depends: .*libstdc\+\+6/)
  for (const path of [
    'usr/bin/kk',
    'usr/share/man/man1/kk-deploy.1.gz',
    'usr/share/man/man5/kk-environment.5.gz',
    'usr/share/bash-completion/completions/kk',
    'usr/share/zsh/vendor-completions/_kk',
    'usr/share/fish/vendor_completions.d/kk.fish',
    'usr/lib/systemd/system/kk-serve.service',
    'etc/default/kk-serve',
  ])
    expect(`${list}\n`).toContain(` ./${path}\n`)
  expect(list.split('\n').filter((line) => !line.includes(' root/root '))).toEqual([])
  const {form, commit, node} = await versionOf(join(root, 'usr/bin/kk'))
  expect(form).toBe('deb')
  expect(commit).toBe((await execa('git', ['rev-parse', 'HEAD'], {cwd: ROOT})).stdout)
  expect(node).toBe(pjson.optionalDependencies[`node-linux-${ARCH}`])
  const {exitCode, stderr} = await execa(join(root, 'usr/bin/kk'), ['graph'], {
    cwd: join(ROOT, 'environments'),
    env: {KK_ENVIRONMENT: 'all-in-one.yaml'},
  })
  expect([exitCode, stderr]).toEqual([0, ''])
})

it('systemd takes the unit of kk serve, which runs as a user of its own', async () => {
  const deb = join(packages, `kk_${pjson.version}_${OTHER_NAMES[ARCH]}.deb`)
  const root = await unpacked('unit', (directory) => execa('dpkg-deb', ['--extract', deb, directory]))
  const text = await readFile(join(root, 'usr/lib/systemd/system/kk-serve.service'), 'utf8')
  const unit = join(work, 'kk-serve.service')
  await writeFile(unit, text.replace('=/usr/bin/kk', `=${join(root, 'usr/bin/kk')}`))

  const {stdout, stderr} = await execa('systemd-analyze', ['verify', '--man=no', unit])

  expect(`${stdout}${stderr}`).toBe('')
  expect(text).toContain('\nDynamicUser=yes\n')
})

it('the archive holds a kk that says where it is from, until it is moved', async () => {
  const root = await unpacked('tar', (directory) =>
    execa('tar', ['-xzf', join(packages, `${NAME}.tar.gz`), '-C', directory]),
  )
  await copyFile(join(root, NAME, 'bin/kk'), join(work, 'kk-alone'))

  expect((await versionOf(join(root, NAME, 'bin/kk'))).form).toBe('tarball')
  expect((await versionOf(join(work, 'kk-alone'))).form).toBe('executable')
})

it('the image is one of OCI, and kk runs from its layers alone as nobody', async () => {
  const layout = await unpacked('image', (directory) =>
    execa('tar', ['-xf', join(packages, `${NAME}.oci.tar`), '-C', directory]),
  )
  const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'))
  const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
  const index = await json(join(layout, 'index.json'))
  const manifest = await json(blob(index.manifests[0].digest))
  const {config} = await json(blob(manifest.config.digest))
  const root = await unpacked('root', async (directory) => {
    for (const {digest} of manifest.layers) await execa('tar', ['-xzf', blob(digest), '-C', directory])
  })

  const run = execa('chroot', [`--userspec=${config.User}`, root, ...config.Entrypoint, 'version'], {
    env: {HOME: '/tmp'},
  })

  expect((await run).stdout).toMatch(/; image$/)
  expect(config.User).not.toMatch(/^(0|root)/)
})

it('the other processor has an executable of its own', async () => {
  const other = ARCH === 'x64' ? 'arm64' : 'x64'
  const name = `kk-${pjson.version}-linux-${other}`
  const root = await unpacked('other', (directory) =>
    execa('tar', ['-xzf', join(packages, `${name}.tar.gz`), '-C', directory]),
  )

  // e_machine of elf(5).
  const machine = (await readFile(join(root, name, 'bin/kk'))).readUInt16LE(18)

  expect(machine).toBe({x64: 62, arm64: 183}[other])
})

it('the SBOM names what is bundled, with versions, licences and hashes', async () => {
  const {components} = JSON.parse(await readFile(join(packages, `kk-${pjson.version}.cdx.json`), 'utf8')) as {
    readonly components: readonly {
      readonly name: string
      readonly version: string
      readonly licenses?: unknown
      readonly hashes?: unknown
    }[]
  }

  expect(components.find(({name}) => name === 'execa')).toMatchObject({
    version: pjson.dependencies.execa,
    licenses: [{expression: 'MIT'}],
    hashes: [{alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/)}],
  })
  expect(components.find(({name}) => name === 'node')).toBeDefined()
})
