import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import {KkCommand} from '../../cli/command.ts'
import {chartsIn} from '../../cli/config.ts'
import {documentFlags} from '../../cli/flags.ts'
import {
  type KollaNames,
  type Microservice,
  microservices,
  microservicesOf,
} from '../../exchange/kolla/microservices.ts'
import {containersOf} from '../../exchange/kolla/service-charts.ts'
import {type Columns, table} from '../../report/table.ts'

export default class KollaList extends KkCommand {
  static override summary =
    "List the microservices of kolla-kubernetes, and the object of kk's charts for each."
  static override description =
    'For users of kolla-kubernetes: shows for each microservice the corresponding object and its release, whose name kk deploy and kk upgrade take, or the reason why there is none. A name is a microservice, a prefix of several such as keystone, or a service or container such as nova-control or nova_api.'
  static override usage = '[NAME...] [FLAGS]'
  static override examples = ['kk kolla list', 'kk kolla list nova-api --output json']
  static override strict = false
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(KollaList)
    const all = microservices()
    const names = argv as string[]
    const shown = names.length === 0 ? all : matchNames(names, all, containersOf(await chartsIn(undefined)))
    this.console.document(flags.output, {microservices: shown}, () => table(shown, COLUMNS))
  }
}

const COLUMNS: Columns<Microservice> = {
  MICROSERVICE: ({name}) => name,
  RELEASE: ({object}) => object?.release ?? '',
  OBJECT: ({object, why}) => (object ? `${object.kind}/${object.name}` : `none: ${why}`),
}

/**
 * Returns the microservices that match the names, in their own order. Throws `KK_USAGE` for a name without a
 * match.
 */
function matchNames(
  names: readonly string[],
  all: readonly Microservice[],
  containers: KollaNames['containers'],
): readonly Microservice[] {
  const matches = names.flatMap((name) => {
    const services = microservicesOf(name, containers)
    if (services.length > 0) return services
    throw unknownName(
      name,
      all.flatMap((each) => [each.name, each.name.slice(0, each.name.indexOf('-'))]),
    )
  })
  return all.filter(({name}) => matches.some((each) => each.name === name))
}

function unknownName(name: string, names: readonly string[]): KkError {
  const near = suggest(name, names)
  return new KkError('KK_USAGE', `kolla-kubernetes has no microservice ${name}`, {
    hint: near === undefined ? 'list all with: kk kolla list' : `did you mean ${near}?`,
  })
}
