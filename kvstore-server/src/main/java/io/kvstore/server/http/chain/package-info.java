/**
 * The handlers that a request passes before and after its endpoint, in this order:
 *
 * <pre>
 *   MalformedHeadConduit   a head that is no HTTP becomes a problem
 *   ProblemBoundary        an exception of all that follows becomes a problem; no stack trace leaves the server
 *   RequestGuard           refuses what no route could want, such as a foreign host
 *   TokenGuard             refuses a caller without a token, where tokens are needed
 *   RoutingHandler         finds the route in HttpRoutes
 *   BodyHandler            reads the body that the route allows, within its limit
 *   WorkHandler            hands the endpoint to a thread of Workers
 *   ReplySender            writes the reply
 * </pre>
 */
@NullMarked
package io.kvstore.server.http.chain;

import org.jspecify.annotations.NullMarked;
