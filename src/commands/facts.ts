import {KkCommand} from '../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, factsFlags, fileArgument} from '../cli/flags.ts'
import {openFacts} from '../cli/open/layers.ts'
import {openEnvironmentIfAny} from '../cli/open/open.ts'
import {FACT_NAMES} from '../overrides/facts/schema.ts'
import {factsText} from '../report/facts-text.ts'

export default class ShowFacts extends KkCommand {
  static override summary = 'Show the facts about the cloud, and the source of each.'
  static override description =
    'kk generates the system overrides of charts from these facts. The facts file takes precedence over the environment, and the environment over the cluster. With a facts file, the cluster is read only if the command line names one.'
  static override examples = [
    'kk facts --sandbox',
    'kk facts -e environments/all-in-one.yaml --facts facts.yaml',
    'kk facts --facts facts.yaml --output json',
  ]
  static override args = fileArgument
  static override flags = {...environmentFlags, ...factsFlags, ...clusterFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(ShowFacts)
    const environment = await openEnvironmentIfAny(flags, args.file === undefined ? [] : [args.file])
    const facts = await openFacts(flags, environment, FACT_NAMES)
    this.console.document(flags.output, facts, (palette) => factsText(facts, FACT_NAMES, palette))
  }
}
