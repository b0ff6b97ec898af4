/** Where a server listens: options of oslo, uwsgi and MariaDB, Apache's directives, and memcached's command line. */
const LISTENS =
  /^\s*(?:(?:bind_host|bind-address|https?|https?-socket|socket)\s*=\s*|Listen\s+|\S*memcached\s.*\s-l\s+|<VirtualHost\s+)\[?([\da-f.:]*[\d:])\]?(?::\d+)?(?=[\s,>]|$)/i
/** Every pod has these. */
const OF_EVERY_POD = /^(?:0\.0\.0\.0|127\.[\d.]+|::1?|:?\d*)(?::\d+)?$/

export interface ForeignAddress {
  /** 1-based. */
  readonly line: number
  readonly address: string
}

/** Where a file makes a server listen at the address of a machine, which no pod has. */
export function foreignAddresses(text: string): readonly ForeignAddress[] {
  return text.split('\n').flatMap((line, at) => {
    const [, address] = LISTENS.exec(line) ?? []
    return address === undefined || OF_EVERY_POD.test(address) ? [] : [{line: at + 1, address}]
  })
}
