import {Flags} from '@oclif/core'
import {KkCommand} from '../cli/command.ts'
import {
  changeFlags,
  clusterFlags,
  environmentFlags,
  helmFlags,
  releasesArgument,
  reportFlags,
  streamFlags,
} from '../cli/flags.ts'
import {test} from '../cli/run/test.ts'

const {yes: _, message: __, ...runFlags} = changeFlags

export default class Test extends KkCommand {
  static override summary = "Run helm's tests of releases, in the order of who requires whom."
  static override description =
    'The test hooks of the charts as they were deployed; without names, of every release of the environment that has any. A test that fails is told with its pod and the last lines of its log, the tests of what requires that release are skipped, and kk exits 1. Asks nothing, for it changes no release: helm only starts the pods, and writes into the record how they ended.'
  static override usage = '[FILE] [RELEASE...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> test environments/all-in-one.yaml --sandbox',
    '<%= config.bin %> test environments/all-in-one.yaml keystone --sandbox --timeout 5m',
    {
      description: 'In a pipeline.',
      command: '<%= config.bin %> test environments/all-in-one.yaml --sandbox --report junit=tests.xml',
    },
  ]
  static override strict = false
  static override args = releasesArgument
  static override flags = {
    ...environmentFlags,
    ...runFlags,
    timeout: Flags.string({
      summary: 'How long the tests of one release may take (default: that of its deployment).',
      helpValue: 'TIME',
    }),
    ...streamFlags,
    ...reportFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Test)
    process.exitCode = await test(flags, argv as string[], this.console)
  }
}
