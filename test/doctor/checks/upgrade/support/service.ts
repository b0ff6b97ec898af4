import type {KubernetesObject} from '../../../../../src/kubernetes/manifest/kubernetes-object.ts'

/** The labels of a component of a service. */
export const labels = (component: string, service = 'cinder') => ({
  'app.kubernetes.io/name': service,
  'app.kubernetes.io/instance': service,
  'app.kubernetes.io/component': component,
})
/** The Deployment of a component with its database, as a chart of kk renders it. */
export const deployment = (component: string, image: string, service = 'cinder'): KubernetesObject => ({
  ...{
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name: `${service}-${component}`, labels: labels(component, service)},
  },
  spec: {
    template: {
      metadata: {labels: labels(component, service)},
      spec: {
        affinity: {podAntiAffinity: {}},
        nodeSelector: {'openstack-control-plane': 'enabled'},
        initContainers: [{name: 'dependencies', image: 'entrypoint'}],
        containers: [
          {name: 'log', image: 'log'},
          {name: component, image, env: [{name: 'A', value: 'b'}], readinessProbe: {}, ports: [{}]},
        ],
        volumes: [
          {name: 'config', secret: {secretName: 'cinder-etc'}},
          {name: 'data', persistentVolumeClaim: {claimName: 'data'}},
        ],
      },
    },
  },
})
