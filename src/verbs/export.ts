import {createHash} from 'node:crypto'
import {basename, join, relative} from 'node:path'
import {execa} from 'execa'
import {KkError} from '../base/errors.ts'
import type {Values} from '../base/values.ts'
import type {Chart} from '../charts/chart.ts'
import {packChart} from '../charts/publishing/pack-chart.ts'
import {vendoredFiles} from '../charts/vendor-charts.ts'
import {loadDocument} from '../environment/load.ts'
import {workflowTemplate} from '../exchange/argo-workflows/write.ts'
import {argocdApplications} from '../exchange/argocd/write.ts'
import {armadaManifest, chartDirectory} from '../exchange/armada/write.ts'
import {certificatesOf} from '../exchange/certificates.ts'
import {
  chartPackage,
  type Exported,
  type ExportedChart,
  type ExportedFiles,
  type ExportedRelease,
  exportedGroups,
  releasesOf,
  type Separator,
  secretsFile,
  type Unplaced,
  yaml,
} from '../exchange/exported.ts'
import {fluxObjects, fluxSecret} from '../exchange/flux/write.ts'
import {helmScript} from '../exchange/helm/script.ts'
import {helmfile} from '../exchange/helmfile/write.ts'
import {type Format, type Loss, lossesOf, lostText} from '../exchange/lost.ts'
import {withoutCredentials} from '../helm/package-url.ts'
import {mergedValues} from '../overrides/layers.ts'
import {pathsToMask, type SplitValues, splitSecretValues} from '../overrides/secret-values.ts'
import {factsOfReleases, type Rendering} from '../prepare/inference/facts-of-releases.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {redactLines} from '../redact/lines.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../run/task.ts'
import type {OwnedFile, OwnedFiles} from '../state/files/owned-files.ts'
import {describeExit} from '../state/processes/exit-code.ts'
import {foreignEnvironment} from '../state/processes/foreign-environment.ts'
import {secretPathsOf} from './overrides/override-base.ts'
import {secretNeeds} from './secrets/secret-needs.ts'
import {layersWithSecrets, type Supplied} from './secrets/supply-secrets.ts'

/** The writer of a format, and the location of charts in that format. */
interface Writer {
  readonly write: (exported: Exported) => ExportedFiles
  /** `published`: only from a repository or a registry; `none`: kk itself finds them. */
  readonly charts: 'packages' | 'directories' | 'published' | 'none'
  /** Returns the document that SOPS encrypts for a release, and which of its keys. */
  readonly secret?: (release: ExportedRelease, values: Values, exported: Exported) => Values
  readonly sealed?: string
}

const WRITERS: Readonly<Record<Format, Writer>> = {
  helm: {write: helmScript, charts: 'packages', secret: (_, values) => values},
  helmfile: {write: helmfile, charts: 'packages', secret: (_, values) => values},
  flux: {write: fluxObjects, charts: 'published', secret: fluxSecret, sealed: '^(data|stringData)$'},
  argocd: {write: argocdApplications, charts: 'published'},
  'argo-workflows': {write: workflowTemplate, charts: 'none'},
  armada: {write: armadaManifest, charts: 'directories'},
}

export interface ExportOptions {
  readonly format: Format
  readonly prepared: Prepared
  /** The environment with the secrets that kk keeps. */
  readonly supplied: Supplied
  readonly rendering: Rendering
  /** The unknown facts, which system overrides are computed without. */
  readonly unknownFacts: readonly string[]
  /** See `separatorFor`. */
  readonly separator: Separator
  /** The location of published charts, for charts from local directories. */
  readonly charts: ExportedChart['source'] | undefined
  /** The age recipient for which SOPS encrypts secrets; without it secrets are only listed. */
  readonly recipient: string | undefined
  /** The image of kk, for steps that run it. */
  readonly image: string
}

export interface Export {
  readonly environment: string
  readonly files: OwnedFiles
  readonly lost: readonly Loss[]
}

/**
 * Returns an environment as files of another tool, without changes and without requests to a cluster. Rejects
 * with `KK_USAGE` for settings that the format does not support, and with the errors of rendering and of
 * SOPS.
 */
export async function exportEnvironment(options: ExportOptions): Promise<Export> {
  const {format, prepared, recipient} = options
  const writer = WRITERS[format]
  if (recipient !== undefined && !writer.secret) throw nothingToSeal(format)
  const apart = await splitReleaseValues(options)
  const exported = await makeExported(options, apart)
  const texts = [...writer.write(exported), ['LOST.md', lostText(format, exported)] as const]
  const secret = releasesOf(exported).filter(({secrets}) => secrets.length > 0)
  const sealed: [string, OwnedFile][] = []
  if (recipient !== undefined && secret.length > 0) {
    expectKept(options, secret)
    for (const release of secret) {
      const document = writer.secret!(release, apart.get(release.id)!.secrets, exported)
      const content = await encrypted(yaml(document), {recipient, keys: writer.sealed})
      sealed.push([secretsFile(release), {content, mode: 0o600}])
    }
  }
  const charts = await chartFiles(writer.charts, exported, prepared)
  return {
    environment: exported.name,
    files: new Map([
      ...texts.map(([path, content]) => [path, ownedFile(path, content)] as const),
      ...sealed,
      ...charts,
    ]),
    lost: lossesOf(format, exported),
  }
}

function ownedFile(path: string, content: string): OwnedFile {
  return {content, mode: path.endsWith('.sh') ? 0o755 : 0o644}
}

/** Returns the values of each release with all layers, separated from its secrets. */
export async function splitReleaseValues({
  prepared,
  supplied,
}: Pick<ExportOptions, 'prepared' | 'supplied'>): Promise<ReadonlyMap<ReleaseId, SplitValues>> {
  const pathsOf = secretPathsOf(prepared.plugins)
  const apart = new Map<ReleaseId, SplitValues>()
  for (const [release, {chart, layers}] of supplied.final.releases) {
    const generated = supplied.planned.generated?.get(release) ?? []
    const paths = [...(await pathsOf(chart)), ...generated.map(({path}) => path)]
    apart.set(release, splitSecretValues(mergedValues(layers), pathsToMask(layers, paths)))
  }
  return apart
}

async function makeExported(
  options: ExportOptions,
  apart: ReadonlyMap<ReleaseId, SplitValues>,
): Promise<Exported> {
  const {format, prepared, charts, recipient, image, unknownFacts, separator} = options
  const {environment, graph} = prepared
  const placed = new Map(
    [...prepared.releases].map(([id, {chart}]) => [id, exportedChart(chart, {environment, charts})] as const),
  )
  if (WRITERS[format].charts === 'published') expectPublished(format, [...placed.values()])
  const file = format === 'argo-workflows' ? await environmentFile(prepared) : {name: '', digest: ''}
  const hooked = await withHooksAfter(options)
  const releases = new Map(
    [...prepared.releases].map(([id, {layers, desired, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS}]) => {
      const {values, places} = apart.get(id)!
      const release: Unplaced = {
        id,
        name: releaseName(id),
        namespace: releaseNamespace(id),
        chart: placed.get(id)!,
        values,
        secrets: places.map((path) => path.join('.')),
        timeoutSeconds,
        protected: desired.protected,
        hooksAfter: hooked.has(id),
        frozen: layers.some(({name}) => name === 'system' || name === 'user'),
      }
      return [id, release] as const
    }),
  )
  return {
    name: environment.name,
    separator,
    groups: exportedGroups(graph, releases),
    file,
    readiness: Object.keys(environment.readiness),
    directories: environment.charts.flatMap((each) =>
      each.kind === 'directory' ? [relative(environment.directory, each.path)] : [],
    ),
    unknownFacts,
    certificates: certificatesIn(options.supplied),
    sops: recipient !== undefined,
    image,
  }
}

function certificatesIn({final, planned}: Supplied): Exported['certificates'] {
  return [...final.releases].flatMap(([id, {chart, layers}]) =>
    certificatesOf({
      release: releaseName(id),
      chart: final.plugins.dialectChart(chart),
      values: mergedValues(layers),
      generated: planned.generated?.get(id) ?? [],
    }),
  )
}

/**
 * Returns the releases with post-install or post-upgrade hooks, by rendering with placeholders for secrets.
 */
async function withHooksAfter({
  prepared,
  rendering,
}: Pick<ExportOptions, 'prepared' | 'rendering'>): Promise<ReadonlySet<ReleaseId>> {
  const needs = await secretNeeds(prepared)
  const standIns = layersWithSecrets(prepared.releases, {needs, cluster: new Map(), store: new Map()})
  const subjects = [...prepared.releases].map(([release, {chart, desired, timeoutSeconds}]) => ({
    release,
    chart,
    chartDigest: desired.chart.digest,
    layers: standIns.get(release)!,
    timeoutSeconds,
  }))
  const hooked = new Set<ReleaseId>()
  for (const [release, facts] of await factsOfReleases(subjects, rendering)) {
    if (facts instanceof KkError) throw facts
    if (facts.hooksAfter) hooked.add(release)
  }
  return hooked
}

function exportedChart(
  {name, version, origin}: Chart,
  {environment, charts}: Pick<Prepared, 'environment'> & Pick<ExportOptions, 'charts'>,
): ExportedChart {
  for (const source of environment.charts) {
    if (source.kind !== 'repository' && source.kind !== 'oci') continue
    const url = withoutCredentials(source.url)
    if (url !== origin) continue
    return {name, version, source: {kind: source.kind, url}, isLocked: source.digest !== undefined}
  }
  return {name, version, ...(charts && {source: charts}), isLocked: false}
}

function expectPublished(format: Format, charts: readonly ExportedChart[]): void {
  const names = charts.flatMap(({name, source}) => (source ? [] : [name]))
  if (names.length === 0) return
  throw new KkError(
    'KK_USAGE',
    `${format} takes charts from a registry or a repository, and these are in directories: ${[...new Set(names)].join(', ')}`,
    {
      hint: 'publish them with kk charts publish, and specify the location: --charts oci://HOST/PATH or https://HOST/PATH',
    },
  )
}

/**
 * Returns the environment file for the steps. Throws `KK_USAGE` if flags override it, which the steps would
 * not have.
 */
async function environmentFile({environment, releases}: Prepared): Promise<Exported['file']> {
  const {file} = environment
  const isOnTop = [...releases.values()].some(({layers}) =>
    layers.some(({name}) => name === 'values' || name === 'set'),
  )
  if (file === '-' || isOnTop)
    throw new KkError('KK_USAGE', 'the steps of a workflow read only the environment file', {
      hint: 'specify a file, and write the values of --values and --set into it',
    })
  const {text, isMerged} = (await loadDocument({file})).source
  return {name: basename(file), digest: createHash('sha256').update(text).digest('hex'), isMerged}
}

function nothingToSeal(format: Format): KkError {
  return new KkError('KK_USAGE', `--sops-age: an export for ${format} has no place for secrets`, {
    hint: 'leave it out',
  })
}

/**
 * Throws `KK_USAGE` for secrets to write that are not kept yet: generated values would differ from the later
 * ones.
 */
export function expectKept(
  {supplied}: Pick<ExportOptions, 'supplied'>,
  releases: readonly Pick<ExportedRelease, 'id'>[],
): void {
  const generated = releases.flatMap(({id}) => supplied.planned.generated?.get(id) ?? [])
  const names = [...new Set(generated.filter(({isNew}) => isNew).map(({name}) => name))]
  if (names.length === 0) return
  throw new KkError(
    'KK_USAGE',
    `neither the cluster nor the store keeps these secrets: ${names.join(', ')}`,
    {
      hint: 'specify the cluster that keeps them, with --context or --sandbox; kk deploy creates missing ones there',
    },
  )
}

/**
 * Encrypts a document for an age recipient with SOPS (3.10 or newer) through standard input. Rejects with
 * `KK_USAGE`.
 */
async function encrypted(
  text: string,
  {recipient, keys}: {readonly recipient: string; readonly keys: string | undefined},
): Promise<string> {
  // Without a file SOPS reads standard input, which may be a socket that cannot be opened by path. A
  // `.sops.yaml` above the working directory could limit which keys are encrypted, and leave the rest in
  // clear.
  const words = ['--config', '/dev/null', 'encrypt', '--age', recipient, '--filename-override', 'values.yaml']
  const only = keys === undefined ? [] : ['--encrypted-regex', keys]
  const {stdout, stderr, ...ended} = await execa('sops', [...words, ...only], {
    input: text,
    env: foreignEnvironment(process.env),
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
  })
  if (ended.exitCode === 0) return stdout
  const end = describeExit(ended)
  if (end === undefined)
    throw new KkError('KK_USAGE', '--sops-age: sops is not on the PATH', {
      hint: 'install SOPS 3.10 or newer (https://getsops.io), or omit --sops-age: secrets are then only listed',
    })
  throw new KkError('KK_USAGE', `sops could not encrypt for ${recipient} (${end})`, {
    hint: 'specify an age recipient: age1…; SOPS must be 3.10 or newer',
    log: redactLines(stderr).trimEnd().split('\n').slice(-5),
  })
}

/** Returns the charts that no source has, as additional files. */
async function chartFiles(
  kind: Writer['charts'],
  exported: Exported,
  {releases}: Pick<Prepared, 'releases'>,
): Promise<readonly (readonly [string, OwnedFile])[]> {
  const files = new Map<string, OwnedFile>()
  for (const {id, chart} of releasesOf(exported)) {
    const localChart = releases.get(id)!.chart
    if (kind === 'packages' && chart.source === undefined) {
      const path = chartPackage(chart)
      if (!files.has(path)) files.set(path, {content: (await packChart(localChart)).bytes, mode: 0o644})
    }
    if (kind !== 'directories') continue
    for (const {path, bytes} of vendoredFiles(localChart))
      files.set(join(chartDirectory(chart), path), {content: bytes, mode: 0o644})
  }
  return [...files]
}
