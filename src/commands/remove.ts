import {KkCommand} from '../cli/command.ts'
import {dependentsFlags, releasesArgument, removalFlags} from '../cli/flags.ts'
import {confirmProtected} from '../cli/run/confirm-removal.ts'
import {removeReleases} from '../cli/run/removal.ts'
import {KkError} from '../errors.ts'
import {planRemove} from '../verbs/removal/remove.ts'

export default class Remove extends KkCommand {
  static override summary = 'Uninstall the named releases, unless anything on the cluster uses them.'
  static override description =
    'Refuses while a release of any environment, or a record that cannot be read, requires what is named. Shows what goes and what helm leaves behind before it asks. What the releases only shared is not touched. Without a terminal it removes nothing without --yes.'
  static override examples = [
    '<%= config.bin %> remove horizon -e environments/all-in-one.yaml --sandbox --dry-run',
    {
      description: 'A protected release, and all that needs it.',
      command:
        '<%= config.bin %> remove mariadb -e environments/all-in-one.yaml --sandbox --with-dependents --confirm mariadb --dry-run',
    },
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...removalFlags,
    ...dependentsFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Remove)
    const {'with-dependents': withDependents, confirm: confirmed = []} = flags
    process.exitCode = await removeReleases({
      verb: 'remove',
      flags,
      argv: argv as string[],
      console: this.console,
      plan: (context, names) => {
        if (names.length > 0) return planRemove(context, {names, withDependents})
        throw new KkError('KK_USAGE', 'expected the names of releases to remove, got none', {
          hint: 'kk remove RELEASE…; the whole environment: kk destroy FILE',
        })
      },
      async confirm(planned, _, mayAsk) {
        await confirmProtected(planned, confirmed, mayAsk)
        return false
      },
    })
  }
}
