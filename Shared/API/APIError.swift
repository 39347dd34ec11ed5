public import FunctionKit

/// Why a request is refused, as its caller sees it: `{"error":true,"reason":"…"}`, the shape of Vapor's errors.
///
/// Source: https://docs.vapor.codes/basics/errors/
public struct APIError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The status code.
  public let status: Int
  /// One sentence.
  public let reason: String
  /// Header fields of the answer.
  public var headers: [String: String] = [:]

  /// An error from its parts.
  public init(_ status: Int, _ reason: String, headers: [String: String] = [:]) {
    (self.status, self.reason, self.headers) = (status, reason, headers)
  }

  /// The sentence.
  public var description: String { reason }

  /// The answer.
  public var response: HTTPResponse {
    .json(
      RawJSON(object: [("error", RawJSON(true)), ("reason", RawJSON(reason))]), status: status, headers: headers)
  }

  /// What is asked for is not there, or belongs to somebody else: nobody can tell which.
  public static let notFound = APIError(404, "Not Found")
  /// The token is missing, unknown or expired.
  public static let unauthorized = APIError(401, "Unauthorized", headers: ["WWW-Authenticate": "Bearer"])

  /// A field or parameter cannot be used; the sentence names it.
  public static func invalid(_ reason: String) -> APIError { APIError(400, reason) }

  static let tooLarge = APIError(413, "The body is larger than \(APIRequest.largestBody) bytes.")
  static let mediaType = APIError(415, "The body must be application/json.")

  static func methodNotAllowed(_ allowed: [HTTPMethod]) -> APIError {
    APIError(405, "Method Not Allowed", headers: ["Allow": allowed.map(\.rawValue).sorted().joined(separator: ", ")])
  }

  /// The answer to a failure that is nobody's configuration; `nil` for one that has to end the function.
  init?(_ error: FunctionError) {
    switch error.code {
    case .invalidEvent, .usage, .noInput: self.init(400, error.message)
    case .unavailable, .databaseAway:
      self.init(503, error.message, headers: ["Retry-After": "\(error.retryAfter ?? 1)"])
    case .failed, .outputClosed: self.init(500, "Something went wrong.")
    case .notPermitted, .misconfigured: return nil
    }
  }
}
