import {existsSync} from 'node:fs'
import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {readLock} from '../../charts/lock-file.ts'
import {directoryDestination} from '../../charts/publishing/destination-directory.ts'
import {registryDestination} from '../../charts/publishing/destination-registry.ts'
import {KkCommand} from '../../cli/command.ts'
import {canAsk, confirm} from '../../cli/console.ts'
import {documentFlags, type FlagValues, fileArgument, lockFlags, renderFlags} from '../../cli/flags.ts'
import {heedLock, openFinding} from '../../cli/open/charts.ts'
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
    'Copy the images and charts that an environment needs into a registry, or into a directory to carry.'
  static override description =
    'Every image of the pods that the environment renders, hooks and tests included, for all platforms and with the same digest: the one of kk.lock, or else what the registry has now. Charts are copied as packages, with their provenance. What is there already is not copied again, so the same command goes on after an interruption. On a terminal it shows what is to be copied, and asks. Prints the keys by which the environment uses the mirror. A directory is an OCI image layout with the packages beside it; --from puts it into a registry where there is no internet. A target whose first part has a dot or a port, or is localhost, is a registry; one that starts with . or /, or exists, is a directory. Registries are logged in to with docker login, buildah login or helm registry login.'
  static override usage = '[FILE | --from DIR] --to REGISTRY|DIR [FLAGS]'
  static override examples = [
    'kk images mirror environments/all-in-one.yaml --to registry.example.org/cloud --dry-run',
    'kk images mirror environments/all-in-one.yaml --to ./carried',
    'Where it was carried to.\nkk images mirror --from ./carried --to registry.example.org/cloud',
  ]
  static override args = fileArgument
  static override flags = {
    to: Flags.string({
      summary: 'Where to copy to: a registry, with a path or without, or a directory.',
      helpValue: 'REGISTRY|DIR',
      required: true,
    }),
    from: Flags.string({
      summary: 'Copy what such a directory has, instead of what an environment needs.',
      helpValue: 'DIR',
      exclusive: ['environment'],
    }),
    'plain-http': Flags.boolean({summary: 'Speak to the registry without TLS, wherever it is.'}),
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
      throw new KkError('KK_USAGE', `--from copies what a directory has, and ${named[0]} is named, too`, {
        hint: 'leave one of them out',
      })
    await abortable(
      'the copy of images',
      (signal) =>
        flags.from === undefined
          ? this.#fromEnvironment(named, flags, signal)
          : this.#fromDirectory(flags.from, flags, signal),
      'what was copied stays, and the same command goes on from there',
    )
  }

  async #fromEnvironment(named: readonly string[], flags: MirrorFlags, signal: AbortSignal): Promise<void> {
    const {environment} = await openEnvironment(flags, named)
    await using finding = openFinding(flags.helm)
    const {directory, ...target} = openTarget(flags, finding.packages, signal)
    if (directory !== undefined) await expectBundle(directory)
    await using cluster = namesCluster(flags) ? await openChosenCluster(flags, environment) : undefined
    const prepared = await prepareTolerantly(environment, flags, cluster)
    await heedLock(prepared, flags, this.console)
    const helm = await openUsersHelm(flags)
    const contents = await environmentContents(prepared, {
      helm,
      packages: finding.packages,
      registries: sourceRegistries({env: process.env, signal}),
      // An environment on standard input has no lock beside it.
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
      throw new KkError('KK_USAGE', 'a directory is copied with the usual tools; --from is for registries', {
        hint: 'expected --to HOST[:PORT][/PATH]',
      })
    const plan = await planMirror(await bundleContents(from), target)
    const bundles = Object.entries(await readBundles(from)).map(([name, {settings, unplaced}]) => [
      name,
      {settings: settingsFor(settings, target.registry), unplaced},
    ])
    await this.#copy(plan, target, {flags, signal, settings: Object.fromEntries(bundles)})
  }

  /** Shows the plan, copies unless it is a dry run, and prints how environments use what is there. */
  async #copy(plan: MirrorPlan, target: MirrorTarget, {flags, signal, settings}: CopyOptions): Promise<void> {
    const {to, output} = flags
    const document = mirrorDocument(plan, to, settings)
    if (flags['dry-run']) return this.console.document(output, document, () => mirrorPlanText(plan, to))
    this.console.say(mirrorPlanText(plan, to))
    if (!flags.yes && hasNew(plan) && canAsk()) await confirm(`copy this to ${to}?`)
    const onImage = (...of: Parameters<typeof mirroredText>) => this.console.say(mirroredText(...of))
    await mirror(plan, target, {signal, onImage})
    const later = target.registry === REGISTRY ? ', with the registry that it is put into as REGISTRY' : ''
    this.console.document(output, document, () =>
      Object.entries(settings)
        .map(([name, each]) => mirrorSettingsText(each, `for the file of ${name}${later}`))
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

/** Returns where to copy to; with the path of a directory. Throws `KK_USAGE`. */
function openTarget(
  {to, 'plain-http': plain}: Pick<MirrorFlags, 'to' | 'plain-http'>,
  packages: Packages,
  signal: AbortSignal,
): MirrorTarget & {readonly directory?: string} {
  if (to === '')
    throw new KkError('KK_USAGE', 'expected a registry or a directory for --to, got an empty word', {
      hint: 'is a variable empty? The directory where you are is .',
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
