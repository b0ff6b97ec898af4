import {
  checkAnnotations,
  isAnnotated,
  isProtected,
  isSharedInfrastructure,
  requirementsOf,
} from './annotations.ts'
import type {Chart} from './chart.ts'
import {librariesOf} from './dependencies.ts'
import {readManifest} from './manifest.ts'

/** Where a chart comes from, when that is not the directory itself. */
export interface ChartOrigin {
  /** For people: where it was found. */
  readonly origin: string
  /** The SHA-256 of the package that the directory was unpacked from. */
  readonly packageDigest?: string
}

/** What the chart in a directory is and requires. Throws `KK_CHART` with the file, and where it can the line. */
export function readChart(
  directory: string,
  from: ChartOrigin = {origin: directory},
  manifest = readManifest(directory),
): Chart {
  checkAnnotations(manifest)
  const {name, version, appVersion, type, kubeVersion} = manifest
  return {
    name,
    version,
    appVersion,
    type,
    ...(kubeVersion !== undefined && {kubeVersion}),
    directory,
    ...from,
    requires: requirementsOf(manifest),
    protected: isProtected(manifest),
    annotated: isAnnotated(manifest),
    sharedInfrastructure: isSharedInfrastructure(manifest),
    libraries: librariesOf({directory, manifest, packaged: from.packageDigest !== undefined}),
  }
}
