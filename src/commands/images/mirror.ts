import {existsSync} from 'node:fs'
import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {readLock} from '../../charts/lock-file.ts'
import {directoryDestination} from '../../charts/publishing/destination-directory.ts'
import {registryDestination} from '../../charts/publishing/destination-registry.ts'
import {KkCommand} from '../../cli/command.ts'
import {canAsk, confirm} from '../../cli/console.ts'
import {documentFlags, type FlagValues, fileArgument, lockFlags, renderFlags} from '../../cli/flags.ts'
import {enforceLock, openFinding} from '../../cli/open/charts.ts'
import {namesCluster, openChosenCluster, openUsersHelm} from '../../cli/open/cluster.ts'
import {openEnvironment, prepareTolerantly} from '../../cli/open/open.ts'
import {changeFlags} from '../../cli/run/flags.ts'
import {abortable} from '../../cli/signals.ts'
import type {Packages} from '../../helm/pull.ts'
import {openDistribution} from '../../images/registry/distribution.ts'
import {openLayout} from '../../images/registry/layout.ts'
import {parseRegistry} from '../../images/registry/registry.ts'
import {sourceRegistries} from '../../images/registry/resolve.ts'
import {
  mirrorDocument,
  mirroredText,
  mirrorPlanText,
  mirrorSettingsText,
} from '../../report/images/mirror-text.ts'
import {
  bundleContents,
  chartsOf,
  expectBundle,
  REGISTRY,
  readBundles,
  settingsFor,
  whileLocked,
  writeBundle,
} from '../../verbs/images/mirror/bundle.ts'
import {environmentContents, type MirrorContents} from '../../verbs/images/mirror/contents.ts'
import {type MirrorPlan, type MirrorTarget, mirror, planMirror} from '../../verbs/images/mirror/mirror.ts'
import {type MirrorSettings, mirrorSettings} from '../../verbs/images/mirror/settings.ts'

type MirrorFlags = FlagValues<typeof ImagesMirror.flags>

/** By environment. */
type AllSettings = Readonly<Record<string, MirrorSettings>>

export default class ImagesMirror extends KkCommand {
  static override summary =
    'Copy the images and charts that an environment needs to a registry, or to a portable directory.'
  static override description =
    'Copies every image of the rendered pods, including hooks and tests, for all platforms and with the same digest: the digest in kk.lock, or else the current one of the registry. Charts are copied as packages with their provenance files. Existing content is skipped, so the same command resumes an interrupted copy. On a terminal, shows what would be copied and asks for confirmation. Prints the settings with which the environment uses the mirror. A directory is an OCI image layout with the chart packages next to it; --from copies it to a registry at a site without internet access. A target whose first part has a dot or a port, or is localhost, is a registry; a target that starts with . or /, or exists, is a directory. Log in to registries with docker login, buildah login or helm registry login.'
  static override usage = '[FILE | --from DIR] --to REGISTRY|DIR [FLAGS]'
  static override examples = [
    'kk images mirror environments/all-in-one.yaml --to registry.example.org/cloud --dry-run',
    'kk images mirror environments/all-in-one.yaml --to ./carried',
    'At the site without internet access.\nkk images mirror --from ./carried --to registry.example.org/cloud',
  ]
  static override args = fileArgument
  static override flags = {
    to: Flags.string({
      summary: 'The target: a registry, optionally with a path, or a directory.',
      helpValue: 'REGISTRY|DIR',
      required: true,
    }),
    from: Flags.string({
      summary: 'Copy the content of such a directory, instead of what an environment needs.',
      helpValue: 'DIR',
      exclusive: ['environment'],
    }),
    'plain-http': Flags.boolean({summary: 'Use plain HTTP for the registry, wherever it is.'}),
    yes: changeFlags.yes,
    'dry-run': changeFlags['dry-run'],
    ...renderFlags,
    ...lockFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(ImagesMirror)
    const named = argv as string[]
    if (flags.from !== undefined && named.length > 0)
      throw new KkError('KK_USAGE', `--from copies a directory, and cannot be combined with ${named[0]}`, {
        hint: 'omit one of them',
      })
    await abortable(
      'the copy of images',
      (signal) =>
        flags.from === undefined
          ? this.#fromEnvironment(named, flags, signal)
          : this.#fromDirectory(flags.from, flags, signal),
      'what was copied is kept; run the same command to continue',
    )
  }

  async #fromEnvironment(named: readonly string[], flags: MirrorFlags, signal: AbortSignal): Promise<void> {
    const {environment} = await openEnvironment(flags, named)
    await using finding = openFinding(flags.helm)
    const {directory, ...target} = openTarget(flags, finding.packages, signal)
    if (directory !== undefined) await expectBundle(directory)
    await using cluster = namesCluster(flags) ? await openChosenCluster(flags, environment) : undefined
    const prepared = await prepareTolerantly(environment, flags, cluster)
    await enforceLock(prepared, flags, this.console)
    const helm = await openUsersHelm(flags)
    const contents = await environmentContents(prepared, {
      helm,
      packages: finding.packages,
      registries: sourceRegistries({env: process.env, signal}),
      // An environment on standard input has no lock file.
      locked: environment.file === '-' ? {} : ((await readLock(environment))?.images ?? {}),
    })
    const plan = await planMirror(contents, target)
    const names = new Map(plan.images.map(({image, name}) => [image, name]))
    const settings = await mirrorSettings(prepared, {helm, names, registry: target.registry})
    const copy = () => this.#copy(plan, target, {flags, signal, settings: {[environment.name]: settings}})
    if (directory === undefined || flags['dry-run']) return await copy()
    await whileLocked(directory, async () => {
      await copy()
      await writeBundle(directory, environment.name, {...recorded(contents), ...settings})
    })
  }

  async #fromDirectory(from: string, flags: MirrorFlags, signal: AbortSignal): Promise<void> {
    await using finding = openFinding(flags.helm)
    const {directory, ...target} = openTarget(flags, finding.packages, signal)
    if (directory !== undefined)
      throw new KkError('KK_USAGE', 'expected a registry for --to: copy directories with the usual tools', {
        hint: 'expected --to HOST[:PORT][/PATH]',
      })
    const plan = await planMirror(await bundleContents(from), target)
    const bundles = Object.entries(await readBundles(from)).map(([name, {settings, unplaced}]) => [
      name,
      {settings: settingsFor(settings, target.registry), unplaced},
    ])
    await this.#copy(plan, target, {flags, signal, settings: Object.fromEntries(bundles)})
  }

  /**
   * Shows the plan, copies unless it is a dry run, and prints the settings with which environments use the
   * mirror.
   */
  async #copy(plan: MirrorPlan, target: MirrorTarget, {flags, signal, settings}: CopyOptions): Promise<void> {
    const {to, output} = flags
    const document = mirrorDocument(plan, to, settings)
    if (flags['dry-run']) return this.console.document(output, document, () => mirrorPlanText(plan, to))
    this.console.say(mirrorPlanText(plan, to))
    if (!flags.yes && hasNew(plan) && canAsk()) await confirm(`copy this to ${to}?`)
    const onImage = (...of: Parameters<typeof mirroredText>) => this.console.say(mirroredText(...of))
    await mirror(plan, target, {signal, onImage})
    const placeholder = target.registry === REGISTRY ? ', with REGISTRY replaced by the target registry' : ''
    this.console.document(output, document, () =>
      Object.entries(settings)
        .map(([name, each]) => mirrorSettingsText(each, `for the file of ${name}${placeholder}`))
        .join('---\n'),
    )
  }
}

function hasNew({images, charts}: MirrorPlan): boolean {
  return [...images, ...charts].some(({state}) => state !== 'there')
}

interface CopyOptions {
  readonly flags: MirrorFlags
  readonly signal: AbortSignal
  readonly settings: AllSettings
}

/** Returns the target of the copy; `directory` is set if it is a directory. Throws `KK_USAGE`. */
function openTarget(
  {to, 'plain-http': plain}: Pick<MirrorFlags, 'to' | 'plain-http'>,
  packages: Packages,
  signal: AbortSignal,
): MirrorTarget & {readonly directory?: string} {
  if (to === '')
    throw new KkError('KK_USAGE', 'expected a registry or a directory for --to, got an empty string', {
      hint: 'check whether a variable is empty; the current directory is .',
    })
  if (existsSync(to) || !/^(?:localhost|\[|[^./][^/]*[.:])/.test(to)) {
    const charts = directoryDestination({path: chartsOf(to), url: undefined, now: new Date()})
    return {registry: REGISTRY, prefix: '', store: openLayout(to), charts, directory: to}
  }
  const registry = parseRegistry(to, {plain})
  const {name, host, prefix} = registry
  return {
    registry: name,
    prefix,
    store: openDistribution({host, plain: registry.plain, env: process.env, signal}),
    charts: registryDestination({url: `oci://${name}/charts`, plain, packages}),
  }
}

function recorded({images, charts}: MirrorContents) {
  return {
    images: Object.fromEntries(images.map(({image, digest}) => [image, digest])),
    charts: charts.map(({file}) => file),
  }
}
