import {BlockList, isIP} from 'node:net'
import {domainToASCII} from 'node:url'

type Environment = Readonly<Record<string, string | undefined>>

/** The host and port of a request; without brackets and in lower case. */
interface Target {
  readonly host: string
  readonly port: string
}

const PORTS: Readonly<Record<string, string>> = {'http:': '80', 'https:': '443'}

/**
 * Returns the address of the proxy for requests to a URL; undefined if there is none. The rules are those of
 * Go, and so of helm and kubectl (golang.org/x/net: http/httpproxy): HTTPS_PROXY or HTTP_PROXY by the scheme
 * of the URL, unless the host is this machine or matches NO_PROXY. Entries of NO_PROXY are host names, which
 * include their subdomains, `.names` for subdomains only, addresses and networks, each with an optional port,
 * or `*` for everything.
 */
export function proxyFor(url: string | URL, env: Environment): string | undefined {
  const {protocol, hostname, port} = new URL(url)
  const target = {host: hostname.replace(/^\[|\]$/g, ''), port: port || PORTS[protocol] || ''}
  const proxy = proxyAddress(protocol === 'https:' ? either(env, 'HTTPS_PROXY') : httpProxy(env))
  return proxy === undefined || isDirect(target, either(env, 'NO_PROXY')) ? undefined : proxy
}

/** Returns true if the environment configures any proxy. */
export function namesProxy(env: Environment): boolean {
  return [either(env, 'HTTPS_PROXY'), httpProxy(env)].some((value) => proxyAddress(value) !== undefined)
}

/** Returns HTTP_PROXY; empty in a CGI script, in which it holds the client's `Proxy` header. */
function httpProxy(env: Environment): string {
  return env['REQUEST_METHOD'] ? '' : either(env, 'HTTP_PROXY')
}

function either(env: Environment, name: string): string {
  return env[name] || env[name.toLowerCase()] || ''
}

/** Returns the address of a proxy; undefined for anything that is not a URL. */
function proxyAddress(value: string): string | undefined {
  if (value === '') return undefined
  const address = value.includes('://') ? value : `http://${value}`
  return URL.canParse(address) ? address : undefined
}

function isDirect(target: Target, noProxy: string): boolean {
  if (target.host === 'localhost' || isLoopback(target.host)) return true
  const entries = noProxy.split(',').map((entry) => entry.trim().toLowerCase())
  return entries.some((entry) => entry !== '' && (entry === '*' || matches(entry, target)))
}

function isLoopback(host: string): boolean {
  return within(host, '127.0.0.0', 8) || within(host, '::1', 128)
}

function matches(entry: string, target: Target): boolean {
  const [, network = '', bits] = /^(.*)\/(\d{1,3})$/.exec(entry) ?? []
  if (bits !== undefined && isIP(network)) return within(target.host, network, Number(bits))
  const [, bracketed, plain, suffix] = /^(?:\[(.*)\](?=:)|([^:[\]]*))(?::(\d*))?$/.exec(entry) ?? []
  const host = isIP(entry) ? entry : (bracketed ?? plain ?? '')
  const port = isIP(entry) ? undefined : suffix
  if (host === '' || (port && port !== target.port)) return false
  if (isIP(host)) return within(target.host, host, isIP(host) === 4 ? 32 : 128)
  return isIP(target.host) === 0 && isNamed(host.replace(/^\*(?=\.)/, ''), target.host)
}

function isNamed(name: string, host: string): boolean {
  const isBelow = name.startsWith('.')
  const domain = domainToASCII(isBelow ? name.slice(1) : name) || name
  return host.endsWith(`.${domain}`) || (!isBelow && host === domain)
}

/** Returns true if the address is in a network of the same family. */
function within(address: string, network: string, bits: number): boolean {
  const family = isIP(network)
  if (family === 0 || family !== isIP(address) || bits > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  const name = family === 4 ? 'ipv4' : 'ipv6'
  list.addSubnet(network, bits, name)
  return list.check(address, name)
}
