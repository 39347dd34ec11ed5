public import FunctionKit
public import PersonLive
import Postgres
import StoreLive

/// A function that answers HTTP requests of the apps: it gets and gives the Lambda proxy shape.
///
/// What goes wrong is an answer, too, in the shape that Vapor's clients expect: `{"error":true,"reason":"…"}`. Only a
/// wrong configuration ends the function itself.
public protocol APIFunction: Function where Payload == HTTPRequest, Output == HTTPResponse {
  /// What it answers.
  static var endpoints: [Endpoint<Self>] { get }
  /// Who a bearer token belongs to.
  var tokens: TokenStore { get }
}

extension APIFunction {
  /// Finds the endpoint of a request and has it answer.
  public func handle(_ event: Event<HTTPRequest>, _ context: Context) async throws -> HTTPResponse {
    do {
      return try await answer(event, context)
    } catch let error as APIError {
      return error.response
    } catch {
      let error = (error as? PostgresError).map { FunctionError(database: $0) } ?? FunctionError(error)
      guard let answer = APIError(error) else { throw error }
      context.log.error(
        "The request failed",
        ["error.code": error.code.rawValue, "error.cause": error.cause.map { String(reflecting: $0) } ?? ""])
      return answer.response
    }
  }

  private func answer(_ event: Event<HTTPRequest>, _ context: Context) async throws -> HTTPResponse {
    let request = event.data
    let path = PathTemplate.segments(of: request.rawPath)
    let found = Self.endpoints.compactMap { endpoint in
      endpoint.path.parameters(in: path).map { (endpoint: endpoint, parameters: $0) }
    }
    // A text in a path counts before a place for a parameter, as it does for the gateway.
    guard let fewest = found.map(\.parameters.count).min() else { throw APIError.notFound }
    let closest = found.filter { $0.parameters.count == fewest }
    let method = request.requestContext.http.method
    guard let (endpoint, parameters) = closest.first(where: { $0.endpoint.method.rawValue == method }) else {
      throw APIError.methodNotAllowed(closest.map(\.endpoint.method))
    }
    let call = try APIRequest(event, parameters, context)
    switch endpoint.handler {
    case .open(let handler): return try await handler(self)(call)
    case .signedIn(let handler): return try await handler(self)(call, person(of: request))
    }
  }

  private func person(of request: HTTPRequest) async throws -> Person {
    guard let token = BearerToken.shown(by: request) else { throw APIError.unauthorized }
    guard let person = try await tokens.person(bearing: token) else { throw APIError.unauthorized }
    return person
  }
}
