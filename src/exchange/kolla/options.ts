import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {namesSecret} from '../../redact/looks-secret.ts'
import type {Source} from '../../yaml/error.ts'
import {readOnlyYaml} from '../../yaml/yaml.ts'
import {type IniOptions, type MultiString, readIni} from './ini.ts'
import {isSecretText} from './passwords.ts'

/** A user's file as a chart's `conf.<file>`: maps are merged over the chart's, a string replaces it. */
export interface ReadOptions {
  readonly shown: Values | string | undefined
  readonly secret: Values | string | undefined
}

/** Parses a file in one of the charts' formats; undefined for any other. Throws `KK_KOLLA`, `KK_YAML`. */
export function readOptions(source: Source, format: string): ReadOptions | undefined {
  if (format === 'oslo' || format === 'ini') return splitSecrets(readIni(source))
  const read = READERS[format]
  if (!read) return undefined
  const value = read(source)
  return isSecretText(source.text, []) ? {shown: undefined, secret: value} : {shown: value, secret: undefined}
}

const READERS: Readonly<Record<string, (source: Source) => Values | string>> = {
  yaml: yamlMap,
  json: yamlMap,
  properties: ({file, text}) => readIni({file, text: `[all]\n${text}`}).all ?? {},
  text: ({text}) => text,
}

function yamlMap({file, text}: Source): Values {
  const value = readOnlyYaml(text, {file, duplicates: 'error'}) ?? {}
  if (isMap(value)) return value
  throw new KkError('KK_KOLLA', `${file}: expected a map`, {hint: 'write keys and values'})
}

/** Splits options into secret and other ones. */
function splitSecrets(options: IniOptions): ReadOptions {
  const of = (isSecret: boolean) => {
    const sections = Object.entries(options).map(([section, each]) => [
      section,
      Object.fromEntries(Object.entries(each).filter((entry) => isSecretOption(section, entry) === isSecret)),
    ])
    const filled = sections.filter(([, each]) => Object.keys(each!).length > 0)
    return filled.length === 0 ? undefined : (Object.fromEntries(filled) as Values)
  }
  return {shown: of(false), secret: of(true)}
}

function isSecretOption(section: string, [option, value]: [string, string | MultiString]): boolean {
  const texts = typeof value === 'string' ? [value] : value.values
  return texts.some((text) => text !== '' && (namesSecret(option, text, {section}) || isSecretText(text, [])))
}

interface ServiceFile {
  readonly service: string
  /** The file's name, such as `glance-api.conf`. */
  readonly name: string
  readonly format: string
  /** The host whose files come last; undefined for none. */
  readonly host: string | undefined
}

/**
 * Returns the user's files that are merged over one of a service, lowest precedence first: kolla's documented
 * order below its node_custom_config. Files common to all services apply only to oslo.config files.
 */
export function configurationFiles({service, name, format, host}: ServiceFile): readonly string[] {
  const common =
    format === 'oslo' ? ['global.conf', 'database.conf', 'messaging.conf', `${service}.conf`] : []
  return [...common, `${service}/${name}`, ...(host === undefined ? [] : [`${service}/${host}/${name}`])]
}
