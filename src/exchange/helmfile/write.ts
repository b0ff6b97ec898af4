import {isEmpty, type Values} from '../../base/values.ts'
import {
  chartPackage,
  type Exported,
  type ExportedChart,
  type ExportedFiles,
  type ExportedRelease,
  objectName,
  releasesOf,
  secretsFile,
  valuesFile,
  valuesFiles,
  yaml,
} from '../exported.ts'

/** Returns an environment as a helmfile, with the values files of the releases. */
export function helmfile(exported: Exported): ExportedFiles {
  const releases = releasesOf(exported)
  const repositories = repositoryNames(exported)
  const state = {
    commonLabels: {environment: exported.name},
    helmDefaults: {createNamespace: true, historyMax: 10},
    ...(repositories.size > 0 && {repositories: [...repositories].map(([url, name]) => ({name, url}))}),
    releases: releases.map((each) => helmfileRelease(each, {sops: exported.sops, repositories})),
  }
  return new Map([['helmfile.yaml', yaml(state)], ...valuesFiles(exported)])
}

interface WriteOptions {
  readonly sops: boolean
  readonly repositories: ReadonlyMap<string, string>
}

function helmfileRelease(release: ExportedRelease, {sops, repositories}: WriteOptions): Values {
  const {name, namespace, chart, timeoutSeconds, hooksAfter, needs, secrets} = release
  const isSecret = secrets.length > 0
  const values = [
    ...(isEmpty(release.values) ? [] : [valuesFile(release)]),
    ...(isSecret && !sops ? [secretsFile(release)] : []),
  ]
  return {
    name,
    namespace,
    ...chartReference(chart, repositories),
    timeout: timeoutSeconds,
    // If hooks run after the rest, helm would wait for pods that wait for these hooks.
    wait: !hooksAfter,
    ...(needs.length > 0 && {needs}),
    ...(values.length > 0 && {values}),
    ...(isSecret && sops && {secrets: [secretsFile(release)]}),
  }
}

function chartReference(chart: ExportedChart, repositories: ReadonlyMap<string, string>): Values {
  const {name, version, source} = chart
  if (source === undefined) return {chart: `./${chartPackage(chart)}`}
  const place = source.kind === 'oci' ? source.url : repositories.get(source.url)
  return {chart: `${place}/${name}`, version}
}

/**
 * Returns repository names by URL. Helm stores repositories per user, so the names contain the environment.
 */
function repositoryNames(exported: Exported): ReadonlyMap<string, string> {
  const urls = releasesOf(exported).flatMap(({chart: {source}}) =>
    source?.kind === 'repository' ? [source.url] : [],
  )
  return new Map([...new Set(urls)].map((url, at) => [url, objectName(exported.name, `charts-${at + 1}`)]))
}
