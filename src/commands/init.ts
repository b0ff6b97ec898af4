import {dirname} from 'node:path'
import {Flags} from '@oclif/core'
import {asKkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {ask, canAsk} from '../cli/console.ts'
import {documentFlags, type FlagValues, repeated} from '../cli/flags.ts'
import {openFinding} from '../cli/open/charts.ts'
import type {Starter} from '../environment/starter.ts'
import {expectStarter, initEnvironment, nameOfDirectory, ownCharts} from '../verbs/init.ts'

export default class Init extends KkCommand {
  static override summary = 'Write an environment file to start with.'
  static override description =
    'Asks five questions on a terminal, each of which a flag answers, too; without a terminal, or with --yes, takes what it would offer. Writes the file with comments, the schema by which editors check it, and a .gitignore that keeps secrets out of git. The file itself holds none: kk makes passwords and keeps them in the cluster. A file that exists is never overwritten.'
  static override examples = [
    'kk init',
    'kk init environments/lab.yaml --service keystone --service nova --ephemeral',
    'kk init --yes --dry-run',
  ]
  static override args = {file: argument({description: 'The environment file to write.', default: 'kk.yaml'})}
  static override flags = {
    name: Flags.string({
      summary: 'The name of the environment (default: that of the directory).',
      helpValue: 'NAME',
    }),
    namespace: Flags.string({
      summary: 'The namespace of its releases (default: openstack).',
      helpValue: 'NAMESPACE',
    }),
    service: repeated(
      'CHART',
      'A service that is wanted; may be repeated (default: keystone, glance, horizon).',
    ),
    context: Flags.string({
      summary: 'The kubeconfig context that it belongs to (default: whichever is chosen).',
      helpValue: 'NAME',
    }),
    ephemeral: Flags.boolean({
      summary: 'Let no data outlive its pod, instead of asking for volumes of the default storage class.',
      allowNo: true,
    }),
    yes: Flags.boolean({char: 'y', summary: 'Do not ask; take what would be offered.'}),
    'dry-run': Flags.boolean({summary: 'Print the environment file, and write nothing.'}),
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(Init)
    const {file} = args
    const dryRun = flags['dry-run']
    await using finding = openFinding(undefined)
    const charts = await ownCharts(finding)
    const asks = !flags.yes && !dryRun && canAsk()
    const starter = await this.starter(flags, {directory: dirname(file), charts, asks})
    const {text, ...initialized} = await initEnvironment({file, starter, charts, dryRun})
    if (dryRun && flags.output === 'text') return this.console.print(text)
    const next = file === 'kk.yaml' ? 'kk plan' : `kk plan ${file}`
    this.console.document(
      flags.output,
      {...initialized, ...(dryRun && {text})},
      (palette) => `wrote ${initialized.written.join(', ')}\n${palette.quiet(`next: ${next}`)}`,
    )
  }

  private async starter(flags: InitFlags, {directory, charts, asks}: Questions): Promise<Starter> {
    /** Asks until the answer is one that an environment can have. */
    const answer = async <T>(given: T | undefined, question: Question<T>): Promise<T> => {
      if (given !== undefined) return given
      if (!asks) return question.read(question.offered)
      while (true) {
        const read = question.read(await ask(question.text, question.offered))
        try {
          expectStarter(question.check(read), charts)
          return read
        } catch (error) {
          this.console.say(asKkError(error).message)
        }
      }
    }
    const name = await answer(flags.name, {
      text: 'name of the environment',
      offered: nameOfDirectory(directory),
      read: asIs,
      check: (given) => ({name: given}),
    })
    const namespace = await answer(flags.namespace, {
      text: 'namespace of its releases',
      offered: 'openstack',
      read: asIs,
      check: (given) => ({namespace: given}),
    })
    const services = await answer(flags.service, {
      text: `services, out of ${[...charts.keys()].join(', ')}`,
      offered: 'keystone, glance, horizon',
      read: (words) => words.split(/[\s,]+/).filter((word) => word !== ''),
      check: (given) => ({services: given}),
    })
    const context = await answer(flags.context, {
      text: 'kubeconfig context that it belongs to, or nothing for whichever is chosen',
      offered: '',
      read: asIs,
      check: (given) => ({context: given || undefined}),
    })
    const ephemeral = await answer(flags.ephemeral, {
      text: 'is data to outlive its pod, on volumes of the default storage class',
      offered: 'yes',
      read: (word) => /^no?$/i.test(word),
      check: () => ({}),
    })
    return {name, namespace, services: [...new Set(services)], context: context || undefined, ephemeral}
  }
}

type InitFlags = FlagValues<typeof Init.flags>

interface Questions {
  readonly directory: string
  readonly charts: ReadonlyMap<string, string>
  readonly asks: boolean
}

interface Question<T> {
  readonly text: string
  readonly offered: string
  readonly read: (words: string) => T
  /** What the answer states, to be checked. */
  readonly check: (answer: T) => Partial<Starter>
}

function asIs(words: string): string {
  return words
}
