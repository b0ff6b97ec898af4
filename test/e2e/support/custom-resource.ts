/** A CustomResourceDefinition whose schema says so of itself. */
export function customResource(plural: string, description: string) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {name: `${plural}.example.org`},
    spec: {
      group: 'example.org',
      scope: 'Namespaced',
      names: {plural, singular: plural, kind: plural.replaceAll('-', '').replace(/^g/, 'G')},
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {openAPIV3Schema: {type: 'object', description}},
        },
      ],
    },
  }
}
