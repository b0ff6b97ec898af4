import {suggest} from '../../base/suggest.ts'
import {underscored} from '../../base/underscored.ts'
import {isMap, type Values} from '../../base/values.ts'
import type {OptionList} from './option-lists.ts'

/** What is known of a configuration file of a service. */
export interface KnownOptions {
  /** The options that the service registers in its OpenStack release. */
  readonly list: OptionList
  /** Its lists in other OpenStack releases. */
  readonly others: ReadonlyMap<string, () => OptionList>
  /** The part that the chart, its features and kk's plugins write, which is right. */
  readonly base: Values
  /** The whole file. Values of options name further sections, as those of `enabled_backends` do. */
  readonly file: Values
  /** The templates of the chart, which write further sections. */
  readonly templates: string
}

/** A section or an option that nothing reads, or that is deprecated. */
export interface OptionProblem {
  /** The section, and the option unless the section itself is unknown. */
  readonly path: readonly string[]
  readonly isUnknown: boolean
  readonly text: string
}

/** Returns the unknown and the deprecated options of a section. */
export function optionProblems(
  section: string,
  options: Values,
  known: KnownOptions,
): readonly OptionProblem[] {
  const {list, base} = known
  const names = Object.keys(options).filter((name) => options[name] !== null)
  if (sectionIn(list, section) || hasFormerOptions(list, section))
    return names.flatMap((name) => optionProblem(section, name, known))
  if (Object.hasOwn(base, section) || isNamed(section, known)) return misspelledOptions(section, names, list)
  const path = [section]
  const release = releaseWith(known, (other) => sectionIn(other, section) !== undefined)
  if (release !== undefined) return [ofOtherRelease(path, release)]
  const sections = [...Object.keys(list), ...Object.keys(base)]
  return names.length === 0 ? [] : [unknown(path, `no such section${didYouMean(section, sections)}`)]
}

/** Returns the question that a message ends with; empty if no name is similar. */
export function didYouMean(name: string, names: Iterable<string>, most?: number): string {
  const close = suggest(name, names, most)
  return close === undefined ? '' : `: did you mean ${JSON.stringify(close)}?`
}

function optionProblem(section: string, name: string, known: KnownOptions): readonly OptionProblem[] {
  const {list, base} = known
  const path = [section, name]
  const listed = sectionIn(list, section) ?? {}
  const written = isMap(base[section]) ? base[section] : {}
  if (Object.hasOwn(listed, name) && listed[name]!.removed)
    return [{path, isUnknown: false, text: 'deprecated: a later OpenStack release removes it'}]
  if ([listed, written].some((each) => Object.hasOwn(each, name)) || KEYSTONEAUTH.has(name)) return []
  const present = presentName(list, path.join('.'))
  if (present !== undefined) return [{path, isUnknown: false, text: `deprecated: its name is ${present} now`}]
  const release = releaseWith(known, (other) => Object.hasOwn(sectionIn(other, section) ?? {}, name))
  if (release !== undefined) return [ofOtherRelease(path, release)]
  const meant = didYouMean(name, [...Object.keys({...listed, ...written}), ...KEYSTONEAUTH])
  return [unknown(path, `no such option${meant || elsewhere(name, list)}`)]
}

/**
 * Returns the names in the section of a driver or a backend that are similar to those of known options, and
 * no others: drivers register options at run time.
 */
function misspelledOptions(
  section: string,
  names: readonly string[],
  list: OptionList,
): readonly OptionProblem[] {
  const known = new Set(Object.values(list).flatMap(Object.keys))
  return names.flatMap((name) => {
    const meant = known.has(name) ? '' : didYouMean(name, known, 2)
    return meant === '' ? [] : [unknown([section, name], `no such option${meant}`)]
  })
}

function unknown(path: readonly string[], text: string): OptionProblem {
  return {path, isUnknown: true, text}
}

function ofOtherRelease(path: readonly string[], release: string): OptionProblem {
  return {path, isUnknown: false, text: `has no effect: only OpenStack ${release} has it`}
}

function releaseWith({others}: KnownOptions, has: (list: OptionList) => boolean): string | undefined {
  return [...others].find(([, list]) => has(list()))?.[0]
}

/** Returns the sections that have an option of this name, as the end of a message. */
function elsewhere(name: string, list: OptionList): string {
  const sections = Object.keys(list).filter((section) => Object.hasOwn(list[section]!, name))
  return sections.length === 0 ? '' : `; it exists in ${sections.join(', ')}`
}

/** Sections of oslo.privsep, whose names are in the code that uses them: `vif_plug_ovs_privileged`. */
const PRIVSEP = /(?:^|_)privsep(?:_|$)|_sys_admin$|_privileged$/

/** Sections that services read without listing them in each release. */
const UNLISTED: OptionList = {service_providers: {service_provider: {}}}

/** Returns a section of a list. oslo.config ignores the case of its name, except for DEFAULT. */
function sectionIn(list: OptionList, section: string): OptionList[string] | undefined {
  if (Object.hasOwn(list, section)) return list[section]
  if (PRIVSEP.test(section)) return list.privsep
  if (Object.hasOwn(UNLISTED, section)) return UNLISTED[section]
  const name = Object.keys(list).find((each) => each.toLowerCase() === section.toLowerCase())
  return name === undefined || name === 'DEFAULT' ? undefined : list[name]
}

/** Returns the present name of an option that had this name. */
function presentName(list: OptionList, former: string): string | undefined {
  for (const [section, options] of Object.entries(list))
    for (const [name, {formerly = []}] of Object.entries(options))
      if (formerly.some((each) => underscored(each) === underscored(former))) return `${section}.${name}`
  return undefined
}

function hasFormerOptions(list: OptionList, section: string): boolean {
  const options = Object.values(list).flatMap((each) => Object.values(each))
  return options.some(({formerly = []}) => formerly.some((each) => each.startsWith(`${section}.`)))
}

/**
 * Returns true for a section that the value of an option names, as `enabled_backends` and `auth_section` do,
 * also with a prefix (`mdev_nvidia-35`, `secretstore:software`), and for one in the chart's templates.
 */
function isNamed(section: string, {file, templates}: KnownOptions): boolean {
  const words = new Set(wordsIn(file))
  const key = section.replaceAll(/\W/g, '\\$&')
  return (
    [section, section.replace(/^[^_:]*[_:]/, '')].some((name) => words.has(name)) ||
    new RegExp(`(?:^|[\\s{,])["']?${key}["']?:`, 'm').test(templates)
  )
}

/** Returns the words in the values of options. */
function wordsIn(value: unknown): readonly string[] {
  if (isMap(value) || Array.isArray(value)) return Object.values(value).flatMap(wordsIn)
  return typeof value === 'string' ? value.split(/[\s,:=]+/) : []
}

/**
 * The options of keystoneauth1, which every section with an account has: which of them a service registers
 * depends on `auth_type`.
 */
const KEYSTONEAUTH: ReadonlySet<string> = new Set(
  `auth_section auth_type auth_url default_domain_id default_domain_name domain_id domain_name password passcode
  project_domain_id project_domain_name project_id project_name system_scope tenant_id tenant_name token trust_id
  user_domain_id user_domain_name user_id username application_credential_id application_credential_name
  application_credential_secret access_token access_token_endpoint auth_methods client_id client_secret code
  discovery_endpoint endpoint openid_scope identity_provider identity_provider_url mutual_auth protocol redirect_uri
  consumer_key consumer_secret access_key access_secret cafile certfile collect_timing insecure keyfile split_loggers
  timeout connect_retries connect_retry_delay endpoint_override interface max_version min_version region_name
  retriable_status_codes service_name service_type status_code_retries status_code_retry_delay valid_interfaces
  version`.split(/\s+/),
)
