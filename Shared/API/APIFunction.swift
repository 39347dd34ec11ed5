package import FunctionKit
package import HTTP1
package import PersonLive
import Postgres
import StoreLive

/// A function that answers the apps' HTTP requests in the shape of Lambda's proxy integration.
///
/// A failure is an answer too, in the shape that Vapor's clients expect: `{"error":true,"reason":"…"}`. Only a wrong
/// configuration ends the function.
package protocol APIFunction: Function where Payload == HTTPRequest, Output == HTTPResponse {
  static var endpoints: [Endpoint<Self>] { get }
  /// The tokens, to find the person of a request.
  var tokens: TokenStore { get }
}

extension APIFunction {
  /// The thread of the connection, since each request waits for it.
  package var thread: (any TaskExecutor)? { tokens.connection.thread }

  /// Finds the endpoint of a request and calls it.
  package func handle(_ event: Event<HTTPRequest>, _ context: Context) async throws -> HTTPResponse {
    do {
      return try await answer(event, context)
    } catch let error as APIError {
      return error.response
    } catch let error as RefusedChange {
      return APIError.invalid(error.description).response
    } catch let error as LackingColumns {
      return APIError(501, error.description).response
    } catch {
      let database = error as? PostgresError ?? (error as? FunctionError)?.cause as? PostgresError
      let error = (error as? PostgresError).map { FunctionError(database: $0) } ?? FunctionError(error)
      guard let answer = database.flatMap(APIError.init(lacking:)) ?? APIError(error) else { throw error }
      context.log.error(
        "The request failed",
        ["error.code": error.code.rawValue, "error.cause": error.cause.map { String(reflecting: $0) } ?? ""])
      return answer.response
    }
  }

  private func answer(_ event: Event<HTTPRequest>, _ context: Context) async throws -> HTTPResponse {
    let request = event.data
    let (endpoint, parameters) = try Self.endpoint(of: request)
    let call = try APIRequest(event, parameters, context)
    switch endpoint.handler {
    case .open(let handler): return try await handler(self)(call)
    case .signedIn(let handler): return try await handler(self)(call, person(bearing: Self.token(of: request)))
    case .reading(let handler): return try await answer(request) { try handler(self)(call) }
    }
  }

  /// The endpoint that the gateway matched; for an event without a gateway, it is matched here.
  private static func endpoint(of request: HTTPRequest) throws(APIError) -> (Endpoint<Self>, [String: String]) {
    let given = request.pathParameters ?? [:]
    if let endpoint = endpoints.first(where: { $0.route.description == request.routeKey }),
      endpoint.route.names.allSatisfy({ given[$0] != nil })
    {
      return (endpoint, given)
    }
    let method = request.requestContext.http.method
    let routes = endpoints.map { (pattern: $0.route, target: $0) }
    switch RouteFinding(method, RoutePattern.split(request.rawPath), among: routes) {
    case .match(_, let endpoint, let parameters):
      return (endpoint, Dictionary(parameters.map { ($0.name, $0.value) }) { $1 })
    case .otherMethods(let methods): throw .methodNotAllowed(methods)
    case .nothing: throw .notFound
    }
  }

  private func answer(
    _ request: HTTPRequest, _ reading: () throws -> PersonalRead<HTTPResponse>
  ) async throws -> HTTPResponse {
    let token = try Self.token(of: request)
    let read: PersonalRead<HTTPResponse>
    do {
      read = try reading()
    } catch {
      // Only the person of a valid token learns what else is wrong.
      _ = try await person(bearing: token)
      throw error
    }
    guard let answer = try await tokens.read(read, bearing: token) else { throw APIError.unauthorized }
    return answer
  }

  private static func token(of request: HTTPRequest) throws(APIError) -> String {
    guard let token = request.bearerToken else { throw .unauthorized }
    return token
  }

  private func person(bearing token: String) async throws -> Person {
    guard let person = try await tokens.person(bearing: token) else { throw APIError.unauthorized }
    return person
  }
}

/// One method on one path, with its handler.
package struct Endpoint<F: APIFunction>: Sendable {
  package let route: RoutePattern
  let handler: Handler

  enum Handler: Sendable {
    case open(@Sendable (F) -> @Sendable (APIRequest) async throws -> HTTPResponse)
    case signedIn(@Sendable (F) -> @Sendable (APIRequest, Person) async throws -> HTTPResponse)
    case reading(@Sendable (F) -> @Sendable (APIRequest) throws -> PersonalRead<HTTPResponse>)
  }

  /// An endpoint that requires a bearer token; without a valid one the answer is 401.
  package init(
    _ method: HTTPMethod, _ path: String,
    _ handler: @escaping @Sendable (F) -> @Sendable (APIRequest, Person) async throws -> HTTPResponse
  ) {
    self.init(method, path, handler: .signedIn(handler))
  }

  /// An endpoint that requires a bearer token, as others do, and only reads: the token's person and their rows are found
  /// in one statement.
  package static func reading(
    _ method: HTTPMethod, _ path: String,
    _ handler: @escaping @Sendable (F) -> @Sendable (APIRequest) throws -> PersonalRead<HTTPResponse>
  ) -> Self {
    Self(method, path, handler: .reading(handler))
  }

  /// An endpoint that needs no token.
  package static func open(
    _ method: HTTPMethod, _ path: String,
    _ handler: @escaping @Sendable (F) -> @Sendable (APIRequest) async throws -> HTTPResponse
  ) -> Self {
    Self(method, path, handler: .open(handler))
  }

  private init(_ method: HTTPMethod, _ path: String, handler: Handler) {
    guard let route = RoutePattern("\(method.rawValue) \(path)") else { preconditionFailure("\(path) is no path") }
    (self.route, self.handler) = (route, handler)
  }
}

package enum HTTPMethod: String, Sendable, CaseIterable {
  case get = "GET"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
}
