import {Flags} from '@oclif/core'
import {asKkError} from '../base/errors.ts'
import {argument} from '../cli/argument.ts'
import {KkCommand} from '../cli/command.ts'
import {canAsk, prompt} from '../cli/console.ts'
import {documentFlags, type FlagValues, repeated} from '../cli/flags.ts'
import {openFinding, openOptions} from '../cli/open/charts.ts'
import {PROFILES} from '../environment/profiles.ts'
import {EXAMPLE_DOMAIN, LOCAL_REGISTRY, type Starter, UPSTREAM} from '../environment/starter.ts'
import {editorSchema} from '../verbs/editor-schema.ts'
import {environmentName, expectStarter, initEnvironment, ownCharts} from '../verbs/init.ts'

export default class Init extends KkCommand {
  static override summary = 'Create a first environment file.'
  static override description =
    'Asks six questions on a terminal; flags answer them in advance. Without a terminal, or with --yes, uses the defaults. Writes the file with comments, a JSON Schema for editors, and a .gitignore that keeps secrets out of git. The file contains no secrets: kk generates passwords and stores them in the cluster. An existing file is never overwritten.'
  static override examples = [
    'kk init',
    'kk init environments/lab.yaml --service keystone --service nova --ephemeral',
    'kk init --yes --dry-run',
  ]
  static override args = {file: argument({description: 'The environment file to write.', default: 'kk.yaml'})}
  static override flags = {
    name: Flags.string({
      summary: 'The name of the environment (default: the name of the file; for kk.yaml, of its directory).',
      helpValue: 'NAME',
    }),
    namespace: Flags.string({
      char: 'n',
      summary: 'The namespace of the releases (default: openstack).',
      helpValue: 'NAMESPACE',
    }),
    service: repeated('CHART', 'A service to deploy; may be repeated (default: keystone, glance, horizon).'),
    profile: Flags.string({
      summary: `Services and settings to start with: ${Object.entries(PROFILES)
        .map(([name, {summary}]) => `${name} (${summary})`)
        .join(', ')}. --service adds more.`,
      options: Object.keys(PROFILES),
      helpValue: 'PROFILE',
    }),
    domain: Flags.string({
      summary: `The domain below which users reach the services, for the profile production (default: ${EXAMPLE_DOMAIN}, to be replaced).`,
      helpValue: 'DOMAIN',
    }),
    context: Flags.string({
      summary: 'The kubeconfig context of the environment (default: none, the current context at run time).',
      helpValue: 'NAME',
    }),
    ephemeral: Flags.boolean({
      summary: 'Store data in the pods only, instead of on volumes of the default storage class.',
      allowNo: true,
    }),
    registry: Flags.string({
      summary: `The registry of the images that kk builds, which every node can reach; "${UPSTREAM}" for kolla's images on quay.io (default: ${LOCAL_REGISTRY}, which only the nodes of this machine can reach).`,
      helpValue: 'REGISTRY',
    }),
    yes: Flags.boolean({char: 'y', summary: 'Do not ask; use the defaults.'}),
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
    const starter = await this.starter(flags, {file, charts, asks})
    const schema = () => editorSchema(finding, openOptions())
    const {text, ...initialized} = await initEnvironment({file, starter, charts, schema, dryRun})
    if (dryRun && flags.output === 'text') return this.console.print(text)
    if (starter.registry === LOCAL_REGISTRY)
      this.console.say(
        `the images come from ${LOCAL_REGISTRY}, which only the nodes of this machine can reach: --registry names another`,
      )
    const named = file === 'kk.yaml' ? '' : ` ${file}`
    this.console.document(
      flags.output,
      {...initialized, ...(dryRun && {text})},
      (palette) =>
        `wrote ${initialized.written.join(', ')}\n${palette.quiet(`next: kk check${named}, then kk plan${named}`)}`,
    )
  }

  private async starter(flags: InitFlags, {file, charts, asks}: Questions): Promise<Starter> {
    /** Asks until the answer is valid. */
    const answer = async <T>(flag: T | undefined, question: Question<T>): Promise<T> => {
      if (flag !== undefined) return flag
      if (!asks) return question.read(question.offered)
      while (true) {
        const value = question.read(await prompt(question.text, question.offered))
        try {
          expectStarter(question.check(value), charts)
          return value
        } catch (error) {
          this.console.say(asKkError(error).message)
        }
      }
    }
    const name = await answer(flags.name, {
      text: 'name of the environment',
      offered: environmentName(file),
      read: asIs,
      check: (name) => ({name}),
    })
    const namespace = await answer(flags.namespace, {
      text: 'namespace of its releases',
      offered: 'openstack',
      read: asIs,
      check: (namespace) => ({namespace}),
    })
    const profile = PROFILES[flags.profile ?? '']
    const chosen = profile && [...profile.services, ...(flags.service ?? [])]
    const services = await answer(chosen ?? flags.service, {
      text: `services, out of ${[...charts.keys()].join(', ')}`,
      offered: 'keystone, glance, horizon',
      read: (words) => words.split(/[\s,]+/).filter((word) => word !== ''),
      check: (services) => ({services}),
    })
    const context = await answer(flags.context, {
      text: 'kubeconfig context of the environment, empty for the current context at run time',
      offered: '',
      read: asIs,
      check: (context) => ({context: context || undefined}),
    })
    const domain =
      profile?.global === undefined
        ? EXAMPLE_DOMAIN
        : await answer(flags.domain, {
            text: 'domain below which users reach the services',
            offered: EXAMPLE_DOMAIN,
            read: asIs,
            check: (domain) => ({domain}),
          })
    const ephemeral = await answer(flags.ephemeral, {
      text: 'store data on volumes of the default storage class',
      offered: 'yes',
      read: (word) => /^no?$/i.test(word),
      check: () => ({}),
    })
    const registry = await answer(flags.registry, {
      text: `registry of the images, which every node can reach; ${UPSTREAM} for kolla's images on quay.io`,
      offered: LOCAL_REGISTRY,
      read: asIs,
      check: (registry) => ({registry}),
    })
    return {
      ...{name, namespace, registry, profile: flags.profile, domain, ephemeral},
      services: [...new Set(services)],
      context: context || undefined,
    }
  }
}

type InitFlags = FlagValues<typeof Init.flags>

interface Questions {
  readonly file: string
  readonly charts: ReadonlyMap<string, string>
  readonly asks: boolean
}

interface Question<T> {
  readonly text: string
  readonly offered: string
  readonly read: (words: string) => T
  /** Returns the fields that the answer sets, for validation. */
  readonly check: (answer: T) => Partial<Starter>
}

function asIs(words: string): string {
  return words
}
