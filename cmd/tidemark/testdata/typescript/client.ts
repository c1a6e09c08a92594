// A client as a user would write it, from generated code only: enqueue, follow the watch until the service shows, get.
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { RecommendationService } from "./gen/tidemark/v1/recommendation_service_pb.js";

const [baseUrl, service] = process.argv.slice(2);
const client = createClient(RecommendationService, createGrpcTransport({ baseUrl }));

const enqueued = await client.enqueue({ service });

let watched = "";
for await (const response of client.watchRecommendations({ filter: { services: [service] } })) {
  if (response.event.case === "recommendation") {
    watched = response.event.value.service;
    break;
  }
}

const { recommendation } = await client.getRecommendation({ service });

let refusal = "";
try {
  await client.enqueue({ service: "no-tenant" });
} catch (error) {
  refusal = Code[ConnectError.from(error).code];
}

console.log(JSON.stringify({ outcome: enqueued.outcome, watched, got: recommendation?.service, refusal }));

// The transport keeps its connection for later calls, and the process with it.
process.exit(0);
