import type {Values} from '../../base/values.ts'
import {
  type Exported,
  type ExportedChart,
  type ExportedFiles,
  type ExportedRelease,
  releasesOf,
  waves,
  yamlStream,
} from '../exported.ts'
import {armadaName} from './overrides.ts'
import {expectDocument} from './schema.ts'

const ARMADA_CHART = 'armada/Chart/v1'
const ARMADA_GROUP = 'armada/ChartGroup/v1'
const ARMADA_MANIFEST = 'armada/Manifest/v1'
const ARMADA_METADATA = 'metadata/Document/v1'

/**
 * Returns an Armada manifest: one chart group per wave, with unpacked charts next to it (Armada takes no
 * packages).
 */
export function armadaManifest(exported: Exported): ExportedFiles {
  const groups = waves(exported).map((releases, wave) => {
    const data = {sequenced: false, chart_group: releases.map(armadaName)}
    return {schema: ARMADA_GROUP, metadata: documentMetadata(`${exported.name}-${wave}`), data}
  })
  const data = {release_prefix: exported.name, chart_groups: groups.map(({metadata: {name}}) => name)}
  const charts = releasesOf(exported).map((release) => chartDocument(release, exported.name))
  const manifest = {schema: ARMADA_MANIFEST, metadata: documentMetadata(exported.name), data}
  const documents = [...charts, ...groups, manifest]
  for (const document of documents) expectDocument(document, 'the export')
  return new Map([['armada.yaml', yamlStream(documents)]])
}

function chartDocument(release: ExportedRelease, prefix: string): Values {
  const {name, namespace, chart, values, timeoutSeconds, hooksAfter} = release
  return {
    schema: ARMADA_CHART,
    metadata: documentMetadata(armadaName(release)),
    data: {
      chart_name: chart.name,
      release: name,
      namespace,
      source: {type: 'local', location: '.', subpath: chartDirectory(chart)},
      dependencies: [],
      values,
      wait: {
        timeout: timeoutSeconds,
        labels: {release_group: `${prefix}-${name}`},
        // Helm's own wait would wait for pods that depend on hooks.
        native: {enabled: !hooksAfter},
      },
      test: {enabled: false},
      upgrade: {no_hooks: false},
      ...(release.protected && {protected: {continue_processing: false}}),
    },
  }
}

/** Returns the path of a release's unpacked chart in the export directory. */
export function chartDirectory({name, version}: ExportedChart): string {
  return `charts/${name}-${version}`
}

function documentMetadata(name: string): {readonly schema: string; readonly name: string} {
  return {schema: ARMADA_METADATA, name}
}
