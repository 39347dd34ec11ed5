public import FunctionKit
public import PersonLive

/// One method on one path, and what answers it.
public struct Endpoint<F: APIFunction>: Sendable {
  /// The method.
  public let method: HTTPMethod
  /// The path.
  public let path: PathTemplate
  let handler: Handler

  enum Handler: Sendable {
    case open(@Sendable (F) -> @Sendable (APIRequest) async throws -> HTTPResponse)
    case signedIn(@Sendable (F) -> @Sendable (APIRequest, Person) async throws -> HTTPResponse)
  }

  /// What only those answer who show a bearer token; everybody else gets a 401.
  public init(
    _ method: HTTPMethod, _ path: PathTemplate,
    _ handler: @escaping @Sendable (F) -> @Sendable (APIRequest, Person) async throws -> HTTPResponse
  ) {
    (self.method, self.path, self.handler) = (method, path, .signedIn(handler))
  }

  /// What everybody may ask for.
  public static func open(
    _ method: HTTPMethod, _ path: PathTemplate,
    _ handler: @escaping @Sendable (F) -> @Sendable (APIRequest) async throws -> HTTPResponse
  ) -> Self {
    Self(method: method, path: path, handler: .open(handler))
  }

  private init(method: HTTPMethod, path: PathTemplate, handler: Handler) {
    (self.method, self.path, self.handler) = (method, path, handler)
  }
}

/// The methods that endpoints answer.
public enum HTTPMethod: String, Sendable, CaseIterable {
  case get = "GET"
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
  case delete = "DELETE"
}
