import {copyFile, cp, mkdir, readdir, readFile, symlink, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, expect, inject, it} from 'vitest'
import pjson from '../../package.json' with {type: 'json'}
import {aptOfDebian} from '../../scripts/package/debian.ts'
import {type Architecture, OTHER_NAMES} from '../../scripts/package/release.ts'
import {uniqueName} from '../e2e/support/cluster.ts'
import {testDirectory} from '../support/test-directory.ts'

const ROOT = join(import.meta.dirname, '../..')
const ARCH = process.arch as Architecture
const NAME = `kk-${pjson.version}-linux-${ARCH}`

let work: string
let packages: string
beforeAll(async () => {
  work = testDirectory()
  packages = join(work, 'packages')
  await execa('node', ['scripts/package.ts', '--output-dir', packages], {cwd: ROOT, preferLocal: true})
})

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

it('two builds of one commit have identical bytes in different directories, time zones, languages and umasks', async () => {
  const copy = await elsewhere()
  const again = join(work, 'again')
  // As npm run package does: the table of commands is not in git.
  const script = 'umask 077; node scripts/table.ts && exec node scripts/package.ts --output-dir "$0"'

  await execa('bash', ['-c', script, again], {
    cwd: copy,
    preferLocal: true,
    env: {TZ: 'Pacific/Auckland', LC_ALL: 'C', HOSTNAME: 'elsewhere', TMPDIR: join(work, 'a directory')},
  })

  const sums = await readFile(join(packages, 'SHA256SUMS'), 'utf8')
  expect(await readFile(join(again, 'SHA256SUMS'), 'utf8')).toBe(sums)
  expect((await execa('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {cwd: again})).exitCode).toBe(0)
})

it('each architecture has an archive, a Debian package and an image, with checksums and an SBOM', async () => {
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

it('dpkg-deb accepts the package, and kk runs from its files', async () => {
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

it('systemd accepts the unit of kk serve, which has its own user', async () => {
  const deb = join(packages, `kk_${pjson.version}_${OTHER_NAMES[ARCH]}.deb`)
  const root = await unpacked('unit', (directory) => execa('dpkg-deb', ['--extract', deb, directory]))
  const text = await readFile(join(root, 'usr/lib/systemd/system/kk-serve.service'), 'utf8')
  const unit = join(work, 'kk-serve.service')
  await writeFile(unit, text.replace('=/usr/bin/kk', `=${join(root, 'usr/bin/kk')}`))

  const {stdout, stderr} = await execa('systemd-analyze', ['verify', '--man=no', unit])

  expect(`${stdout}${stderr}`).toBe('')
  expect(text).toContain('\nDynamicUser=yes\n')
})

it('the archive contains a kk that reports its origin until it is moved', async () => {
  const root = await unpacked('tar', (directory) =>
    execa('tar', ['-xzf', join(packages, `${NAME}.tar.gz`), '-C', directory]),
  )
  await copyFile(join(root, NAME, 'bin/kk'), join(work, 'kk-alone'))

  expect((await versionOf(join(root, NAME, 'bin/kk'))).form).toBe('tarball')
  expect((await versionOf(join(work, 'kk-alone'))).form).toBe('executable')
})

/**
 * Unpacks the image for a processor into directories of this name; returns what a container of it would
 * start, and its root.
 */
async function imageOf(arch: Architecture, into: string) {
  const name = `kk-${pjson.version}-linux-${arch}`
  const layout = await unpacked(`image-${into}`, (directory) =>
    execa('tar', ['-xf', join(packages, `${name}.oci.tar`), '-C', directory]),
  )
  const blob = (digest: string) => join(layout, 'blobs', digest.replace(':', '/'))
  const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
  const index = await json(join(layout, 'index.json'))
  const manifest = await json(blob(index.manifests[0].digest))
  const {config, architecture} = await json(blob(manifest.config.digest))
  const root = await unpacked(`root-${into}`, async (directory) => {
    for (const {digest} of manifest.layers) await execa('tar', ['-xzf', blob(digest), '-C', directory])
  })
  return {config, architecture, root}
}

/** What a runtime gives to a container beside its image. */
async function started(root: string, config: {readonly User: string; readonly Env: readonly string[]}) {
  await mkdir(join(root, 'proc'), {recursive: true})
  await mkdir(join(root, 'dev'), {recursive: true})
  await execa('mknod', ['--mode=666', join(root, 'dev/null'), 'c', '1', '3'])
  const [user, group] = config.User.split(':')
  const words = ['--mount', '--pid', '--fork', '--mount-proc=/proc', `--root=${root}`, '--wd=/tmp']
  const env = Object.fromEntries(config.Env.map((each) => each.split('=') as [string, string]))
  return (command: readonly string[]) =>
    execa('unshare', [...words, `--setuid=${user}`, `--setgid=${group}`, ...command], {
      // unshare looks the program up by its own PATH, before it is in the root.
      env: {...env, PATH: `${env.PATH}:/usr/sbin:/sbin:/bin`},
      extendEnv: false,
      reject: false,
    })
}

it('the image is an OCI image, and kk deploys from its layers as the user nobody', async () => {
  const {config, architecture, root} = await imageOf(ARCH, 'deploying')
  const run = await started(root, config)
  const name = uniqueName('image')
  await cp(join(ROOT, 'test/fixtures/charts/workload'), join(root, 'tmp/charts/workload'), {recursive: true})
  await writeFile(
    join(root, 'tmp/cloud.yaml'),
    JSON.stringify({
      kk: {name, namespace: name, charts: ['charts'], releases: {api: {chart: 'workload'}}},
      api: {},
    }),
  )
  await copyFile(inject('run').kubeconfig, join(root, 'tmp/kubeconfig'))
  for (const file of ['cloud.yaml', 'kubeconfig', 'charts'])
    await execa('chmod', ['--recursive', 'a+rX', join(root, 'tmp', file)])

  const version = await run([...config.Entrypoint, 'version'])
  const deployed = await run([
    ...config.Entrypoint,
    'deploy',
    'cloud.yaml',
    '--kubeconfig',
    'kubeconfig',
    '--yes',
  ])
  const listed = await run([
    'helm',
    'list',
    '--namespace',
    name,
    '--kubeconfig',
    'kubeconfig',
    '--output',
    'json',
  ])

  expect(version.stdout, version.stderr).toMatch(/; image$/)
  expect(architecture).toBe(OTHER_NAMES[ARCH])
  expect(config.User).not.toMatch(/^(0|root)/)
  expect(deployed.exitCode, deployed.stderr).toBe(0)
  expect(JSON.parse(listed.stdout)).toMatchObject([{name: 'api', status: 'deployed'}])
})

it('the image has the programs for workflow steps and the gate of pods, and CA certificates for helm', async () => {
  const {config, root} = await imageOf(ARCH, 'others')
  const run = await started(root, config)

  const step = await run([
    'sh',
    '-c',
    'printf x >/tmp/x && echo "$1  /tmp/x" | sha256sum -c >&2 && exec kk --version',
    'sh',
    X,
  ])
  const gate = await run([
    'sh',
    '-c',
    'DEPENDENCY_JOBS_JSON=x NAMESPACE=a POD_NAME=b exec kubernetes-entrypoint',
  ])
  const certificates = await readFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8')

  expect(step.stdout, step.stderr).toMatch(/^kk\//)
  expect(gate.stderr).toContain('KK_DEPENDENCY')
  expect(certificates.match(/BEGIN CERTIFICATE/g)!.length).toBeGreaterThan(100)
})

/** SHA-256 of `x`. */
const X = '2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881'

/** What Debian 13 has to play another processor. */
const QEMU = {x64: 'qemu-x86_64', arm64: 'qemu-aarch64'} as const

it('packages of the other architecture run there under QEMU', async () => {
  const other = ARCH === 'x64' ? 'arm64' : 'x64'
  const {root} = await imageOf(other, 'other')
  const env = await aptOfDebian(ARCH, join(work, 'apt'))
  const qemu = await unpacked('qemu', async (directory) => {
    await execa('apt-get', ['download', 'qemu-user'], {cwd: directory, env})
    const [deb = ''] = await readdir(directory)
    await execa('dpkg-deb', ['--extract', join(directory, deb), directory])
  })
  const cwd = join(ROOT, 'environments')
  const run = (...words: readonly string[]) =>
    execa(join(qemu, 'usr/bin', QEMU[other]), ['-L', root, ...words], {
      cwd,
      env: {HOME: work, KK_ENVIRONMENT: 'all-in-one.yaml'},
      extendEnv: false,
      reject: false,
    })
  const kk = join(root, 'usr/bin/kk')
  const split = ['values', 'split', 'all-in-one.yaml', '--stdout']

  const version = await run(kk, 'version', '--output', 'json')
  const graph = await run(kk, 'graph')
  const there = await run(kk, ...split)
  const here = await execa(inject('run').kk, split, {cwd})
  const helm = await run(join(root, 'usr/local/bin/helm'), 'version', '--template', '{{.Version}}')

  expect(version.exitCode, version.stderr).toBe(0)
  expect(JSON.parse(version.stdout)).toMatchObject({platform: `linux-${other}`, form: 'image'})
  expect([graph.exitCode, graph.stdout]).toEqual([0, expect.stringContaining('mariadb')])
  expect(there.stdout, there.stderr).toBe(here.stdout)
  expect(helm.stdout, helm.stderr).toBe(inject('run').versions.helm4)
})

it('the SBOM lists bundled packages with versions, licences and hashes', async () => {
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
  for (const name of ['node', 'libc6', 'helm.sh/helm/v4', 'k8s.io/client-go'])
    expect(components.find((each) => each.name === name)?.version, name).toMatch(/\d/)
})
