import {GATEWAY, REGISTRY_PORT} from '../network.ts'
import type {Part} from './part.ts'

/** Returns the forwarder, through which pods reach the API server and the registry, which listen on loopback. */
export function forwarder(binary: string, apiServerPort: number): Part {
  const ports = [apiServerPort, REGISTRY_PORT]
  return {argv: [binary, ...ports.map((port) => `${GATEWAY}:${port}=127.0.0.1:${port}`)]}
}
