import {join} from 'node:path'
import {once} from '../../base/once.ts'
import {openCarried} from '../../charts/carried.ts'
import {type ChartCache, openChartCache} from '../../charts/chart-cache.ts'
import type {ChartFinding} from '../../charts/find-chart.ts'
import {helmPackages, type Packages} from '../../helm/pull.ts'
import {digestResolver, sourceRegistries} from '../../images/registry/resolve.ts'
import type {Rendering} from '../../prepare/inference/facts-of-releases.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {type OptionLists, openOptionLists} from '../../prepare/settings/option-lists.ts'
import {unresolvedLines} from '../../report/charts/lock-text.ts'
import {buildDigest, builtInFiles} from '../../state/assets.ts'
import {cacheDirectory} from '../../state/directories.ts'
import {type TemporaryDirectory, temporaryDirectory} from '../../state/files/temporary-directory.ts'
import {expectLocked, type LockPorts} from '../../verbs/charts/lock-charts.ts'
import type {Console} from '../console.ts'
import type {HelmFlags, LockFlags} from '../flags.ts'
import {helmPath, openUsersHelm} from './cluster.ts'

/** Opens the chart lookup; fetched packages are removed when it is disposed. */
export function openFinding(helm: string | undefined): ChartFinding & AsyncDisposable {
  const {packages, remove} = fetchedPackages(helm)
  return {
    builtIn: async () => join(await builtInFiles(process.env), 'charts'),
    carried: once(openCarried),
    cache: cacheDirectory(process.env),
    read: {charts: new Map(), libraries: new Map(), cache: openKept()},
    packages,
    [Symbol.asyncDispose]: remove,
  }
}

/** Opens the lists of options of OpenStack's services. */
export function openOptions(): OptionLists {
  return openOptionLists(() => builtInFiles(process.env))
}

/** Opens the cache of facts about charts; undefined if kk runs from its sources, and with `KK_NO_CACHE`. */
function openKept(): ChartCache | undefined {
  const build = buildDigest()
  if (build === undefined || process.env.KK_NO_CACHE) return undefined
  return openChartCache({cache: cacheDirectory(process.env), build})
}

/** Returns the ports for rendering charts without a cluster; helm is looked up at the first rendering. */
export function openRendering(helm: string | undefined): Rendering {
  return {helm: () => openUsersHelm({helm}), cache: cacheDirectory(process.env)}
}

/** Opens the ports for computing a lock: helm for rendering charts, and registries for digests. */
export async function openLockPorts({helm}: HelmFlags): Promise<LockPorts> {
  return {
    helm: await openUsersHelm({helm}),
    digestOf: digestResolver(sourceRegistries({env: process.env})),
  }
}

/**
 * With `--locked`, rejects with `KK_LOCKED` unless charts and images match `kk.lock`; reports what it could
 * not compare.
 */
export async function enforceLock(
  prepared: Prepared,
  {locked, helm}: LockFlags & HelmFlags,
  {say}: Pick<Console, 'say'>,
): Promise<void> {
  if (!locked) return
  const compared = await expectLocked(prepared, await openLockPorts({helm}))
  for (const line of unresolvedLines(compared)) say(`${line}; compared by name only`)
}

/** Fetches charts from repositories and registries with helm, which is looked up only when one is needed. */
function fetchedPackages(helm: string | undefined): {
  readonly packages: Packages
  readonly remove: () => Promise<void>
} {
  let opened: Promise<{readonly packages: Packages; readonly directory: TemporaryDirectory}> | undefined
  const open = async () => {
    const directory = await temporaryDirectory('kk-charts-')
    const options = {path: helmPath(helm), env: process.env, directory: directory.path}
    return {directory, packages: helmPackages(options)}
  }
  const use = async <T>(body: (packages: Packages) => Promise<T>): Promise<T> => {
    opened ??= open()
    const {packages, directory} = await opened
    return directory.fill(() => body(packages))
  }
  return {
    packages: {
      pull: (request, directory) => use((packages) => packages.pull(request, directory)),
      names: (source) => use((packages) => packages.names(source)),
      index: (source) => use((packages) => packages.index(source)),
      push: (file, source) => use((packages) => packages.push(file, source)),
    },
    remove: async () => {
      const used = await opened?.catch(() => undefined)
      await used?.directory.remove()
    },
  }
}
