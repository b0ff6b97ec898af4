import {Flags} from '@oclif/core'
import {lockFileOf, writeLock} from '../../charts/lock-file.ts'
import {KkCommand} from '../../cli/command.ts'
import {documentFlags, fileArgument, renderFlags} from '../../cli/flags.ts'
import {openLockPorts} from '../../cli/open/charts.ts'
import {namesCluster, openChosenCluster} from '../../cli/open/cluster.ts'
import {openEnvironment, prepareTolerantly} from '../../cli/open/open.ts'
import {lockDocument, lockText, unlikeText, unresolvedLines} from '../../report/charts/lock-text.ts'
import {compareLock, lockNow} from '../../verbs/charts/lock-charts.ts'

export default class ChartsLock extends KkCommand {
  static override summary =
    'Write down which charts and images an environment is made of, into kk.lock beside its file.'
  static override description =
    'Charts with their versions and digests, and the images of all pods that they render with the digests that their registries have now; it needs no cluster, but one that is named tells its facts. kk deploy, upgrade and plan with --locked refuse what differs, and take charts of repositories and registries in the locked version. A digest in kk.charts wins over the lock. What the file says of other environments stays. An image whose registry does not answer is locked by its name alone, and named. With --check nothing is written: exits 3 where the environment is not as it is locked.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk charts lock environments/all-in-one.yaml',
    'In a pipeline, after the one above.\nkk charts lock environments/all-in-one.yaml --check --output json',
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
    // With the locked versions: a check says what kk deploy --locked would.
    const {environment} = await openEnvironment({...flags, locked: flags.check}, named)
    const file = lockFileOf(environment)
    await using cluster = namesCluster(flags) ? await openChosenCluster(flags, environment) : undefined
    const prepared = await prepareTolerantly(environment, flags, cluster)
    const ports = await openLockPorts(flags)
    if (flags.check) {
      const compared = await compareLock(prepared, ports)
      for (const line of unresolvedLines(compared)) this.console.say(line)
      this.console.document(flags.output, {environment: environment.name, ...compared}, (palette) =>
        unlikeText(compared, palette),
      )
      if (compared.differences.length > 0) process.exitCode = 3
      return
    }
    const found = await lockNow(prepared, ports)
    await writeLock(environment, found.lock)
    for (const line of unresolvedLines(found)) this.console.say(line)
    this.console.document(
      flags.output,
      lockDocument(found, {file, environment: environment.name}),
      (palette) => lockText(found, file, palette),
    )
  }
}
