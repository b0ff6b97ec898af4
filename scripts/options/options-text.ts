/** A section as oslo-config-generator prints it in JSON. */
export interface GeneratedGroup {
  readonly opts: readonly GeneratedOption[]
  /** Options that only one driver of the section has, by driver. */
  readonly driver_opts: Readonly<Record<string, readonly GeneratedOption[]>>
}

interface GeneratedOption {
  /** As in files; `name` may have hyphens. */
  readonly dest: string
  readonly type: string
  readonly default: unknown
  readonly sample_default: unknown
  readonly secret: boolean
  readonly deprecated_opts: readonly {readonly group: string; readonly name: string}[]
  readonly deprecated_for_removal: boolean
}

/** An option of a service in `options`; false and empty fields are omitted. */
interface Option {
  /** oslo.config's type, such as `string` and `multi valued`. */
  readonly type: string
  readonly default?: unknown
  readonly secret?: true
  /** Its former names, `SECTION.OPTION`, which are still read. */
  readonly formerly?: readonly string[]
  /** Will be removed in a later release. */
  readonly removed?: true
}

/** The options of a service in one release of OpenStack. */
export interface Options {
  readonly namespaces: readonly string[]
  /** By section and name. */
  readonly options: Readonly<Record<string, Readonly<Record<string, Option>>>>
}

/** Returns the text of a file of `options`: JSON with an option on each line, in order. */
export function optionsText(
  namespaces: readonly string[],
  groups: Readonly<Record<string, GeneratedGroup>>,
): string {
  const sections = sorted(groups).map(([section, {opts, driver_opts}]) => {
    const all = [...opts, ...Object.values(driver_opts).flat()]
    // Two libraries may register the same option; it is secret if one of them says so.
    const options = new Map<string, Option>()
    for (const each of all) {
      const known = options.get(each.dest)
      if (!known?.secret) options.set(each.dest, optionOf(section, each))
    }
    const lines = sorted(Object.fromEntries(options)).map(
      ([name, option]) => `   ${JSON.stringify(name)}: ${JSON.stringify(option)}`,
    )
    return `  ${JSON.stringify(section)}: {${lines.length > 0 ? `\n${lines.join(',\n')}\n  ` : ''}}`
  })
  return `{\n "namespaces": ${JSON.stringify(namespaces)},\n "options": {\n${sections.join(',\n')}\n }\n}\n`
}

function optionOf(section: string, option: GeneratedOption): Option {
  const {type, secret, deprecated_opts, deprecated_for_removal} = option
  const value = option.sample_default ?? option.default
  const former = [...new Set(deprecated_opts.map(({group, name}) => `${group}.${name}`))]
    .filter((name) => name !== `${section}.${option.dest}`)
    .sort()
  return {
    type: type.replace(/ value$/, ''),
    ...(value !== null && {default: value}),
    ...(secret && {secret: true}),
    ...(former.length > 0 && {formerly: former}),
    ...(deprecated_for_removal && {removed: true}),
  }
}

function sorted<Value>(map: Readonly<Record<string, Value>>): readonly (readonly [string, Value])[] {
  return Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1))
}
