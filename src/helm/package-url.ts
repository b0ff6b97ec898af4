interface PackageUrl {
  /** The URL without user and password. */
  readonly address: string
  readonly username?: string
  readonly password?: string
}

/** Removes user and password from the URL of a repository, so that they reach neither argv nor messages. */
export function splitCredentials(url: string): PackageUrl {
  const address = url.replace(/^([^:/]+:\/\/)[^/]*@/, '$1')
  if (address === url || !URL.canParse(url)) return {address}
  const {username, password} = new URL(url)
  return {address, username: decoded(username), password: decoded(password)}
}

/** Decodes percent escapes; keeps a percent sign that is not part of a valid escape, as in passwords. */
function decoded(word: string): string {
  return word.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })
}

/** Returns the URL for display. */
export function withoutCredentials(url: string): string {
  return trimSlash(splitCredentials(url).address)
}

/** Returns the host and port of a URL. */
export function hostOf(url: string): string {
  const {address} = splitCredentials(url)
  return URL.canParse(address) ? new URL(address).host : address
}

export function trimSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
