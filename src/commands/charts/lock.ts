import {Flags} from '@oclif/core'
import {lockFileOf, writeLock} from '../../charts/lock-file.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, fileArgument, renderFlags} from '../../cli/flags.ts'
import {openLockPorts} from '../../cli/open/charts.ts'
import {namesCluster, openChosenCluster} from '../../cli/open/cluster.ts'
import {openEnvironment, prepareTolerantly} from '../../cli/open/open.ts'
import {lockDifferencesText, lockDocument, lockText, unresolvedLines} from '../../report/charts/lock-text.ts'
import {compareLock, lockNow} from '../../verbs/charts/lock-charts.ts'

export default class ChartsLock extends KkCommand {
  static override summary =
    'Record the charts and images of an environment in kk.lock, next to the environment file.'
  static override description =
    'Records charts with their versions and digests, and the images of all rendered pods with their current digests in the registries. Needs no cluster; if one is named, its facts are used. With --locked, kk deploy, upgrade and plan refuse differences, and take charts from repositories and registries in the locked version. A digest in kk.charts takes precedence over the lock. Entries of other environments in the file are kept. An image whose registry does not answer is locked by name only, and reported. With --check, writes nothing and exits 3 if the environment differs from its lock.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk charts lock environments/all-in-one.yaml',
    'In a pipeline, after the command above.\nkk charts lock environments/all-in-one.yaml --check --output json',
  ]
  static override args = fileArgument
  static override flags = {
    check: Flags.boolean({summary: 'Compare with kk.lock and write nothing; exit 3 when something differs.'}),
    ...renderFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ChartsLock)
    const named = args.file === undefined ? [] : [args.file]
    // With the locked versions, so that a check reports the same as kk deploy --locked.
    const {environment} = await openEnvironment({...flags, locked: flags.check}, named)
    const file = lockFileOf(environment)
    await using cluster = namesCluster(flags) ? await openChosenCluster(flags, environment) : undefined
    const prepared = await prepareTolerantly(environment, flags, cluster)
    const ports = await openLockPorts(flags)
    if (flags.check) {
      const compared = await compareLock(prepared, ports)
      for (const line of unresolvedLines(compared)) this.console.say(line)
      this.console.document(flags.output, {environment: environment.name, ...compared}, (palette) =>
        lockDifferencesText(compared, palette),
      )
      if (compared.differences.length > 0) process.exitCode = 3
      return
    }
    const resolved = await lockNow(prepared, ports)
    await writeLock(environment, resolved.lock)
    for (const line of unresolvedLines(resolved)) this.console.say(line)
    this.console.document(
      flags.output,
      lockDocument(resolved, {file, environment: environment.name}),
      (palette) => lockText(resolved, file, palette),
    )
  }
}
