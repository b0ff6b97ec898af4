import {join} from 'node:path'
import type {ChartFinding} from '../../charts/find-chart.ts'
import {helmPackages, type Packages} from '../../helm/pull.ts'
import {builtInFiles} from '../../state/assets.ts'
import {cacheDirectory} from '../../state/directories.ts'
import {type TemporaryDirectory, temporaryDirectory} from '../../state/files/temporary-directory.ts'
import type {Rendering} from '../../verbs/preparation/inference/facts-of-releases.ts'
import {helmPath, openUsersHelm} from './cluster.ts'

/** Opens what finding charts needs; what was fetched for it is removed where its scope ends. */
export function openFinding(helm: string | undefined): ChartFinding & AsyncDisposable {
  const {packages, remove} = fetchedPackages(helm)
  return {
    builtIn: async () => join(await builtInFiles(process.env), 'charts'),
    cache: cacheDirectory(process.env),
    packages,
    [Symbol.asyncDispose]: remove,
  }
}

/** Opens what rendering charts without a cluster needs; helm is looked for when something is to be rendered. */
export function openRendering(helm: string | undefined): Rendering {
  return {helm: () => openUsersHelm({helm}), cache: cacheDirectory(process.env)}
}

/** Charts in repositories and registries are fetched by helm, which is looked for only when there are any. */
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
      push: (file, source) => use((packages) => packages.push(file, source)),
    },
    remove: async () => {
      const used = await opened?.catch(() => undefined)
      await used?.directory.remove()
    },
  }
}
