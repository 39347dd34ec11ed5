package import FunctionKit
package import HTTP1
package import PersonLive

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
