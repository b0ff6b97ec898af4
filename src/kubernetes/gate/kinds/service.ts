import type * as core from 'kubernetes-types/core/v1.js'
import type {Served} from '../../api/served.ts'
import {HEALTHY, type HealthOf, withNote} from './health.ts'

type Service = Served<core.Service>

/**
 * Returns the health of a Service of type LoadBalancer. It is never awaited, because a cluster may have no
 * load balancer controller.
 */
export const loadBalancerHealth: HealthOf<Service> = (service) => {
  if ((service.status?.loadBalancer?.ingress ?? []).length > 0) return HEALTHY
  return withNote('healthy', service, {message: 'its load balancer has no address', reason: 'NoAddress'})
}
