import type {Values} from '../../../release.ts'
import type {Facts} from '../../facts/facts.ts'

/** Where the WSGI servers of a chart listen when there is no IPv4: the key below `conf` with its port. */
export function wsgiListens(
  family: Facts['ipFamily'],
  option: 'http' | 'http-socket',
  ports: Readonly<Record<string, number>>,
): Values | undefined {
  if (family !== 'ipv6') return undefined
  const files = Object.entries(ports).map(([file, port]) => [file, {uwsgi: {[option]: `[::]:${port}`}}])
  return {conf: Object.fromEntries(files)}
}

/** The same for servers that oslo.service runs: `bind_host` and the like below `conf.<file>.<section>`. */
export function osloListens(
  family: Facts['ipFamily'],
  options: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>,
): Values | undefined {
  if (family !== 'ipv6') return undefined
  const any = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '::']))
  const files = Object.entries(options).map(([file, sections]) => [
    file,
    Object.fromEntries(Object.entries(sections).map(([section, names]) => [section, any(names)])),
  ])
  return {conf: Object.fromEntries(files)}
}
