import type {Agent as HttpAgent} from 'node:http'
import type {Agent as HttpsAgent} from 'node:https'

/** The headers of a request, and TLS material or an agent for its connection. */
export type Credentials = {readonly headers: Headers} & (
  | {readonly tls: TlsOptions}
  | {readonly agent: HttpAgent | HttpsAgent}
)

/** By name in lower case; several values are one header each. */
export type Headers = Readonly<Record<string, string | readonly string[]>>

/** TLS material as node:tls takes it. */
export interface TlsOptions {
  readonly ca?: string | Buffer
  readonly cert?: string | Buffer
  readonly key?: string | Buffer
  readonly rejectUnauthorized?: boolean
  readonly servername?: string
}
