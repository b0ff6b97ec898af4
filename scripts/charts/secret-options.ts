import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {configuresSecrets, looksSecret, SECRET_RULE} from '../../src/redact/looks-secret.ts'
import type {Options} from '../options/options-text.ts'

const OPTIONS = join(import.meta.dirname, '../../options')

/** An option of a service that oslo.config marks `secret=True`. */
export interface SecretOption {
  readonly release: string
  readonly service: string
  readonly section: string
  readonly option: string
  readonly type: string
}

/** Returns every secret option of `options`, also by each of its former names. */
export function secretOptions(directory = OPTIONS): readonly SecretOption[] {
  return allOptions(directory).filter(({secret}) => secret)
}

/** An option by one of its names. */
interface ListedOption extends SecretOption {
  readonly secret: boolean
  readonly default?: unknown
}

function allOptions(directory: string): readonly ListedOption[] {
  return readdirSync(directory).flatMap((release) =>
    readdirSync(join(directory, release)).flatMap((file) => {
      const {options}: Options = JSON.parse(readFileSync(join(directory, release, file), 'utf8'))
      return namesOf(options).map((each) => ({release, service: file.replace(/\.json$/, ''), ...each}))
    }),
  )
}

function namesOf(options: Options['options']) {
  return Object.entries(options).flatMap(([section, each]) =>
    Object.entries(each).flatMap(([name, {type, secret = false, default: value, formerly = []}]) =>
      [`${section}.${name}`, ...formerly].map((place) => ({
        section: place.slice(0, place.lastIndexOf('.')),
        option: place.slice(place.lastIndexOf('.') + 1),
        type,
        secret,
        default: value,
      })),
    ),
  )
}

/**
 * Returns the names of secret options that the rule does not detect, sorted. A single word that is
 * secret only in one section, such as `url`, has its section.
 */
export function unusualNames(options = secretOptions()): readonly string[] {
  const unusual = options.filter(({option}) => !looksSecret(option))
  const sections = Map.groupBy(unusual, ({option}) => option)
  const names = [...sections].map(([option, found]) => {
    const [section, ...others] = new Set(found.map((each) => each.section))
    return option.includes('_') || others.length > 0 ? option : `${section}.${option}`
  })
  return names.sort()
}

/** Types of options that oslo.config fails to mark as secret: `pure_api_token`, `ssl_client_key_password`. */
const MAY_BE_SECRET: ReadonlySet<string> = new Set(['string', 'unknown', 'multi valued', 'dict'])

/**
 * Returns the options that oslo.config knows, never marks secret, and that the rule would detect as secret,
 * sorted: by section, and those of another type than a string as `*.OPTION`, too, for strings with unknown
 * sections. A string without a default may be a secret all the same.
 */
export function settingNames(directory = OPTIONS): readonly string[] {
  const options = allOptions(directory)
  const secret = new Set(options.filter((each) => each.secret).map(({option}) => option))
  const isBelow = (section: string) => looksSecret(section) && !new RegExp(SECRET_RULE.section).test(section)
  const names = options.flatMap(({section, option, type, default: value = ''}) => {
    const isString = MAY_BE_SECRET.has(type)
    if (secret.has(option) || configuresSecrets(option) || (isString && value === '')) return []
    if (looksSecret(option) && !isString) return [`${section}.${option}`, `*.${option}`]
    return looksSecret(option) || isBelow(section) ? [`${section}.${option}`] : []
  })
  return [...new Set(names)].sort()
}
