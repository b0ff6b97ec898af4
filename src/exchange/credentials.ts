/** Returns a text whose addresses have no user, password or key: neither a message nor an environment is a place for them. */
export function withoutCredentials(text: string): string {
  return text
    .replaceAll(/([a-z][a-z\d+.-]*:\/\/)[^/\s"]*@/gi, '$1')
    .replaceAll(/([?&][^=&\s]*(?:key|token|secret|passw|sig|credential)[^=&\s]*=)[^&\s"]+/gi, '$1***')
}

/** Returns the sentence that says what an address loses. */
export function lostCredentials(of: string): string {
  return `the credentials in the address of ${of}: helm keeps them (helm repo add --username, helm registry login), and kk uses these`
}
