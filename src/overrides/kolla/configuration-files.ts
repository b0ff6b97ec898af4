interface Wanted {
  readonly service: string
  /** Such as `glance-api.conf`. */
  readonly name: string
  readonly format: string
  /** Whose files come last; none without. */
  readonly host: string | undefined
}

/**
 * The user's files that are laid over one of a service, the weakest first: kolla's documented order below its
 * node_custom_config. What is common to all services is for files of oslo.config only.
 */
export function configurationFiles({service, name, format, host}: Wanted): readonly string[] {
  const common =
    format === 'oslo' ? ['global.conf', 'database.conf', 'messaging.conf', `${service}.conf`] : []
  return [...common, `${service}/${name}`, ...(host === undefined ? [] : [`${service}/${host}/${name}`])]
}
