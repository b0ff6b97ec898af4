import type {OpenAPIV3_1} from 'openapi-types'

/** What `/openapi.json` answers with. */
export type OpenApi = OpenAPIV3_1.Document
