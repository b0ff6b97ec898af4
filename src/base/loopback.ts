/**
 * Returns true for the host of a URL or of an image's registry that is this machine, with or without a port.
 */
export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])(:\d+)?$/.test(host)
}
