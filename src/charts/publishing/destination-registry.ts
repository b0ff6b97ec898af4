import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {trimSlash} from '../../helm/package-url.ts'
import type {Packages} from '../../helm/pull.ts'
import {exists} from '../../state/files/exists.ts'
import {temporaryDirectory} from '../../state/files/temporary-directory.ts'
import type {Destination} from './destination.ts'

interface RegistryOptions {
  /** `oci://registry.example.org/charts` */
  readonly url: string
  /** Without TLS. */
  readonly plain: boolean
  readonly packages: Packages
}

/** A folder of a registry, which helm reads and writes. */
export function registryDestination({url, plain, packages}: RegistryOptions): Destination {
  const source = {kind: 'oci', url, plain} as const
  return {
    name: url,
    stateOf: ({name, version, bytes, provenance}) =>
      inDirectory(async (directory) => {
        // helm pushes it to this path, also into a folder of the chart's own name, which would otherwise
        // count as the chart.
        const place = {...source, url: `${trimSlash(url)}/${name}`}
        const request = {
          source: place,
          name,
          version,
          ...(provenance !== undefined && ({provenance: 'fetch'} as const)),
        }
        const file = await packages.pull(request, directory)
        if (file === undefined) return 'new'
        if (!bytes.equals(await readFile(file))) return 'other'
        return provenance === undefined || (await exists(`${file}.prov`)) ? 'there' : 'unsigned'
      }),
    add: (packed) =>
      inDirectory(async (directory) => {
        for (const {file, bytes, provenance} of packed) {
          const path = join(directory, file)
          await writeFile(path, bytes)
          // Helm pushes it as a separate layer.
          if (provenance !== undefined) await writeFile(`${path}.prov`, provenance)
          await packages.push(path, source)
        }
      }),
  }
}

async function inDirectory<T>(body: (directory: string) => Promise<T>): Promise<T> {
  const directory = await temporaryDirectory('kk-publish-')
  try {
    return await directory.fill(() => body(directory.path))
  } finally {
    await directory.remove()
  }
}
