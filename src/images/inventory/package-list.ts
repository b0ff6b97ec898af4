import type {Image} from '../image.ts'
import type {Package} from './packages.ts'

/** Returns the packages of an image as an SPDX 2.3 document: https://spdx.github.io/spdx-spec/v2.3/ */
export function packageList(
  {repository, tag, title}: Pick<Image, 'repository' | 'tag' | 'title'>,
  {
    version,
    packages,
    inputs,
    created,
  }: {
    readonly version: string
    readonly packages: readonly Package[]
    readonly inputs: string
    readonly created: Date
  },
): object {
  const whole = {
    SPDXID: 'SPDXRef-image',
    name: `${repository}:${tag}`,
    summary: title,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    primaryPackagePurpose: 'CONTAINER',
  }
  const parts = packages.map((each, index) => ({
    SPDXID: `SPDXRef-${index + 1}`,
    name: each.name,
    versionInfo: each.version,
    downloadLocation: 'NOASSERTION',
    externalRefs: [
      {referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: packageUrl(each)},
    ],
  }))
  return {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: whole.name,
    documentNamespace: `https://kk.openstack.org/images/${repository}/${tag}/${inputs}`,
    creationInfo: {created: created.toISOString().replace(/\.\d+/, ''), creators: ['Tool: kk']},
    packages: [whole, ...parts],
    relationships: [
      relation('SPDXRef-DOCUMENT', 'DESCRIBES', whole.SPDXID),
      ...parts.map(({SPDXID}) => relation(whole.SPDXID, 'CONTAINS', SPDXID)),
    ],
  }
}

/** https://github.com/package-url/purl-spec */
function packageUrl({type, name, version}: Package): string {
  const namespace = type === 'deb' ? 'deb/debian' : type
  const path = name.split('/').map(encodeURIComponent).join('/')
  return `pkg:${namespace}/${path}@${encodeURIComponent(version)}`
}

function relation(from: string, relationshipType: string, to: string): object {
  return {spdxElementId: from, relationshipType, relatedSpdxElement: to}
}
