import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {suggest} from '../../environment/suggest.ts'
import {KkError} from '../../errors.ts'
import {microservices} from '../../exchange/kolla/microservices.ts'
import {table} from '../../report/table.ts'

export default class KollaList extends KkCommand {
  static override summary = "List the microservices of kolla-kubernetes, and what kk's charts have for each."
  static override description =
    'For who knows the names of kolla-kubernetes: the object that does the work of a microservice, and the release that it is of, which is what kk deploy and kk upgrade name; or the reason why there is none. Names are those of microservices or, as keystone, the beginning of several.'
  static override usage = '[NAME...] [FLAGS]'
  static override examples = [
    '<%= config.bin %> kolla list',
    '<%= config.bin %> kolla list nova-api --output json',
  ]
  static override strict = false
  static override flags = documentFlags

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(KollaList)
    const all = microservices()
    const names = argv as string[]
    const unknown = names.find((name) => !all.some((each) => isBelow(each.name, name)))
    if (unknown !== undefined)
      throw unknownName(
        unknown,
        all.flatMap(({name}) => [name, name.slice(0, name.indexOf('-'))]),
      )
    const found = all.filter((each) => names.length === 0 || names.some((name) => isBelow(each.name, name)))
    this.console.document(flags.output, {microservices: found}, () =>
      table([
        ['MICROSERVICE', 'RELEASE', 'OBJECT'],
        ...found.map(({name, object, why}) => [
          name,
          object?.release ?? '',
          object ? `${object.kind}/${object.name}` : `none: ${why}`,
        ]),
      ]).join('\n'),
    )
  }
}

function isBelow(name: string, beginning: string): boolean {
  return name === beginning || name.startsWith(`${beginning}-`)
}

function unknownName(name: string, known: readonly string[]): KkError {
  const near = suggest(name, known)
  return new KkError('KK_USAGE', `kolla-kubernetes has no microservice ${name}`, {
    hint: near === undefined ? 'all of them: kk kolla list' : `did you mean ${near}?`,
  })
}
