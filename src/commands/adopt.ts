import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {
  changeFlags,
  clusterFlags,
  environmentFlags,
  helmFlags,
  releasesArgument,
  streamFlags,
  valueFlags,
} from '../cli/flags.ts'
import {adoptReleases} from '../cli/run/adopt.ts'

export default class Adopt extends KkCommand {
  static override summary = 'Take over releases that were installed without kk, after showing what differs.'
  static override description =
    'Shows what an upgrade with the chart and the values of this environment would change: chart, values and objects, with secrets masked; then asks. Without a terminal it needs --yes. Writes labels on the last record of helm, and changes nothing else: what differs comes with the next deploy. A release of another environment is refused, unless --owner names that environment: so one is renamed, or hands releases over.'
  static override usage = '[RELEASE...] [FILE] [FLAGS]'
  static override examples = [
    {
      description: 'What a deploy would change of it.',
      command: '<%= config.bin %> adopt keystone environments/all-in-one.yaml --sandbox --dry-run',
    },
    '<%= config.bin %> adopt mariadb keystone environments/all-in-one.yaml --sandbox --yes',
    {
      description: 'After the environment was renamed.',
      command: '<%= config.bin %> adopt environments/all-in-one.yaml --owner staging --sandbox --dry-run',
    },
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...valueFlags,
    owner: Flags.string({
      summary:
        'The environment that the releases belong to now, which hands them over; without names, those that have a section in the file, or all of it when the file has all.',
      helpValue: 'ENVIRONMENT',
    }),
    yes: changeFlags.yes,
    'dry-run': changeFlags['dry-run'],
    'no-wait': changeFlags['no-wait'],
    message: changeFlags.message,
    ...streamFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Adopt)
    process.exitCode = await adoptReleases(flags, argv as string[], this.console)
  }
}
