import {existsSync} from 'node:fs'
import {copyFile, cp, link, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import {type Image, localReference} from '../image.ts'
import {packageList} from '../inventory/package-list.ts'
import {imageVersion, type Package, readPackages} from '../inventory/packages.ts'
import {type ImageRecord, packageListPath} from '../inventory/record.ts'
import {type ProgramRun, runProgram} from './buildah.ts'
import {goPrograms} from './go-programs.ts'
import {rootfsArchive} from './rootfs.ts'

export interface BuildOptions {
  readonly cache: string
  readonly inputs: string
  /** The paths of programs, by name. */
  readonly carried: Readonly<Record<string, string>>
  /** The version of kk. */
  readonly version: string
  /** Build everything without cache, with the newest packages. */
  readonly refresh: boolean
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
  readonly onLine: (line: string) => void
}

/** Builds one image whose parents exist, labels it and writes its package list. Throws `KK_IMAGE`. */
export async function buildImage(image: Image, options: BuildOptions): Promise<ImageRecord> {
  const {cache, refresh, signal, onLine, carried, env} = options
  const run: ProgramRun = {signal, onLine, log: join(cache, 'logs', `${image.name}.log`)}
  const work = await temporaryDirectory('kk-image-')
  try {
    const context = join(work.path, 'context')
    const rootfs = image.rootfs && (await rootfsArchive(image.rootfs, cache, {...run, refresh}))
    await work.fill(() => fillContext(context, image, {carried, ...(rootfs && {rootfs})}))
    const {go} = image
    const modules = go ? await goPrograms({...image, go}, {...run, work: work.path, into: context}) : []
    const idFile = join(work.path, 'id')
    await runProgram(
      'buildah',
      [
        ...['build', '--isolation', 'chroot', '--pull=never', '--force-rm'],
        ...(refresh ? ['--no-cache'] : ['--layers']),
        ...Object.entries(image.arguments).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
        ...(await trustArguments(work.path, env)),
        ...['--iidfile', idFile, '--file', join(context, image.containerfile), context],
      ],
      run,
    )
    return await finish(image, {built: await readFile(idFile, 'utf8'), modules}, options)
  } finally {
    await work.remove()
  }
}

/** Labels an image and writes its package list, whose content is known only after the build. */
async function finish(
  image: Image,
  {built, modules}: {readonly built: string; readonly modules: readonly Package[]},
  options: BuildOptions,
): Promise<ImageRecord> {
  const {cache, inputs, signal} = options
  const run = {signal}
  const container = (await runProgram('buildah', ['from', '--pull=never', built], run)).trim()
  try {
    const root = (await runProgram('buildah', ['mount', container], run)).trim()
    const packages = [...(await readPackages(root)), ...modules]
    await runProgram('buildah', ['umount', container], run)
    const version = imageVersion(image.version, packages, options.version)
    const created = new Date()
    await runProgram('buildah', ['config', ...labels(image, {version, inputs}), container], run)
    const reference = localReference(image)
    const id = (await runProgram('buildah', ['commit', '--quiet', container, reference], run)).trim()
    const list = packageList(image, {version, packages, inputs, created})
    await writeAtomically(packageListPath(cache, image.name), `${JSON.stringify(list, undefined, 1)}\n`)
    return {inputs, id, version, built: created.toISOString(), packages: packages.length, pushed: {}}
  } finally {
    await runProgram('buildah', ['rm', container])
  }
}

/**
 * Fills `directory` with what a Containerfile may ADD or COPY: its folder, root file system, and carried
 * programs.
 */
async function fillContext(
  directory: string,
  {folder, carries}: Image,
  {rootfs, carried}: {readonly rootfs?: string; readonly carried: Readonly<Record<string, string>>},
): Promise<void> {
  await cp(folder, directory, {recursive: true})
  if (rootfs !== undefined) await linkOrCopy(rootfs, join(directory, 'rootfs.tar'))
  for (const name of carries) await linkOrCopy(carried[name]!, join(directory, name))
}

/** Hard-links a file if possible, because these files are large; copies it otherwise. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}

/** https://specs.opencontainers.org/image-spec/annotations/ */
const OCI = 'org.opencontainers.image'

/** Returns the labels on origin and inputs of an image, as arguments of `buildah config`. */
function labels(
  {title, source, parents}: Image,
  {version, inputs}: {readonly version: string; readonly inputs: string},
): readonly string[] {
  const all = {
    [`${OCI}.title`]: title,
    [`${OCI}.version`]: version,
    // Labels are inherited, so an image without a source must reset its parent's.
    [`${OCI}.source`]: source ?? '',
    ...(parents[0] && {[`${OCI}.base.name`]: parents[0]}),
    'kk.openstack.org/inputs': inputs,
  }
  return Object.entries(all).flatMap(([name, value]) => ['--label', `${name}=${value}`])
}

/** The CA bundles of distributions. */
const BUNDLES = ['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/tls/certs/ca-bundle.crt']

/**
 * Returns what pip needs to reach PyPI from this machine, as build secrets, which are in no layer and no
 * history. Containerfiles mount them; without them pip uses its own certificates and index.
 */
async function trustArguments(
  directory: string,
  env: NodeJS.ProcessEnv,
  bundles: readonly string[] = BUNDLES,
): Promise<readonly string[]> {
  const bundle = [env.PIP_CERT, env.SSL_CERT_FILE, ...bundles].find((path) => path && existsSync(path))
  const configuration = join(directory, 'pip.conf')
  const lines = [
    '[global]',
    ...(bundle ? ['cert = /run/ca.crt'] : []),
    ...(env.PIP_INDEX_URL ? [`index-url = ${env.PIP_INDEX_URL}`] : []),
  ]
  await writeFile(configuration, `${lines.join('\n')}\n`, {mode: 0o600})
  return [
    '--secret',
    `id=pip.conf,src=${configuration}`,
    ...(bundle ? ['--secret', `id=ca.crt,src=${bundle}`] : []),
  ]
}
