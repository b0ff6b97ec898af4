import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import {type Image, localReference} from '../image.ts'
import {packageList} from '../inventory/package-list.ts'
import {readPackages, versionOf} from '../inventory/packages.ts'
import {type ImageRecord, packageListPath} from '../inventory/record.ts'
import {type ProgramRun, runProgram} from './buildah.ts'
import {fillContext} from './context.ts'
import {labels} from './labels.ts'
import {rootfsArchive} from './rootfs.ts'
import {trustArguments} from './trust.ts'

export interface BuildOptions {
  readonly cache: string
  readonly inputs: string
  /** Program → where it is. */
  readonly carried: Readonly<Record<string, string>>
  /** kk's own. */
  readonly version: string
  /** Everything anew, with the newest packages. */
  readonly refresh: boolean
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
  readonly onLine: (line: string) => void
}

/** Builds one image whose parents are there, labels it and writes its package list. Throws `KK_IMAGE`. */
export async function buildImage(image: Image, options: BuildOptions): Promise<ImageRecord> {
  const {cache, refresh, signal, onLine, carried, env} = options
  const run: ProgramRun = {signal, onLine, log: join(cache, 'logs', `${image.name}.log`)}
  const work = await temporaryDirectory('kk-image-')
  try {
    const context = join(work.path, 'context')
    const rootfs = image.rootfs && (await rootfsArchive(image.rootfs, cache, {...run, refresh}))
    await work.fill(() => fillContext(context, image, {carried, ...(rootfs && {rootfs})}))
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
    return await finish(image, await readFile(idFile, 'utf8'), options)
  } finally {
    await work.remove()
  }
}

/** What an image holds is known when it is built: its labels and its list come last. */
async function finish(image: Image, built: string, options: BuildOptions): Promise<ImageRecord> {
  const {cache, inputs, signal} = options
  const run = {signal}
  const container = (await runProgram('buildah', ['from', '--pull=never', built], run)).trim()
  try {
    const root = (await runProgram('buildah', ['mount', container], run)).trim()
    const packages = await readPackages(root)
    await runProgram('buildah', ['umount', container], run)
    const version = versionOf(image.version, packages, options.version)
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
