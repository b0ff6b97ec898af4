/** Returns a string without the users, passwords and keys of its URLs, for messages and environments. */
export function withoutCredentials(text: string): string {
  return text
    .replaceAll(/([a-z][a-z\d+.-]*:\/\/)[^/\s"]*@/gi, '$1')
    .replaceAll(/([?&][^=&\s]*(?:key|token|secret|passw|sig|credential)[^=&\s]*=)[^&\s"]+/gi, '$1***')
}

/** Returns the sentence on the credentials that are removed from a URL. */
export function lostCredentials(of: string): string {
  return `the credentials in the URL of ${of}: helm stores them (helm repo add --username, helm registry login), and kk uses those`
}
