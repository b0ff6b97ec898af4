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
  static override summary = "List the microservices of kolla-kubernetes, and what kk's charts have for each."
  static override description =
    'For who knows the names of kolla-kubernetes: the object that does the work of a microservice, and the release that it is of, which is what kk deploy and kk upgrade name; or the reason why there is none. Names are those of microservices, the beginning of several, as keystone, or services and containers, such as nova-control and nova_api.'
  static override usage = '[NAME...] [FLAGS]'
  static override examples = ['kk kolla list', 'kk kolla list nova-api --output json']
  static override strict = false
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(KollaList)
    const all = microservices()
    const names = argv as string[]
    const found = names.length === 0 ? all : named(names, all, containersOf(await chartsIn(undefined)))
    this.console.document(flags.output, {microservices: found}, () => table(found, COLUMNS))
  }
}

const COLUMNS: Columns<Microservice> = {
  MICROSERVICE: ({name}) => name,
  RELEASE: ({object}) => object?.release ?? '',
  OBJECT: ({object, why}) => (object ? `${object.kind}/${object.name}` : `none: ${why}`),
}

/** Returns the microservices that names mean, in their order. Throws `KK_USAGE` for a name that means none. */
function named(
  names: readonly string[],
  all: readonly Microservice[],
  containers: KollaNames['containers'],
): readonly Microservice[] {
  const meant = names.flatMap((name) => {
    const found = microservicesOf(name, containers)
    if (found.length > 0) return found
    throw unknownName(
      name,
      all.flatMap((each) => [each.name, each.name.slice(0, each.name.indexOf('-'))]),
    )
  })
  return all.filter(({name}) => meant.some((each) => each.name === name))
}

function unknownName(name: string, known: readonly string[]): KkError {
  const near = suggest(name, known)
  return new KkError('KK_USAGE', `kolla-kubernetes has no microservice ${name}`, {
    hint: near === undefined ? 'all of them: kk kolla list' : `did you mean ${near}?`,
  })
}
