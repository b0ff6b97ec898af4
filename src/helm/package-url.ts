interface PackageUrl {
  /** Without user and password. */
  readonly address: string
  readonly username?: string
  readonly password?: string
}

/** Takes user and password out of the URL of a repository, so that they reach neither argv nor messages. */
export function splitCredentials(url: string): PackageUrl {
  const address = url.replace(/^([^:/]+:\/\/)[^/]*@/, '$1')
  if (address === url || !URL.canParse(url)) return {address}
  const {username, password} = new URL(url)
  return {address, username: decodeURIComponent(username), password: decodeURIComponent(password)}
}

/** The URL as people are shown it. */
export function withoutCredentials(url: string): string {
  return trimSlash(splitCredentials(url).address)
}

/** The host and port of a URL. */
export function hostOf(url: string): string {
  const {address} = splitCredentials(url)
  return URL.canParse(address) ? new URL(address).host : address
}

export function trimSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
