package import FunctionKit
import Postgres

/// A refusal as the caller sees it: `{"error":true,"reason":"…"}`, the shape of Vapor's errors.
///
/// Source: https://docs.vapor.codes/basics/errors/
package struct APIError: Error, Sendable, Equatable, CustomStringConvertible {
  package let status: Int
  /// One sentence.
  package let reason: String
  package var headers: [String: String] = [:]

  package init(_ status: Int, _ reason: String, headers: [String: String] = [:]) {
    (self.status, self.reason, self.headers) = (status, reason, headers)
  }

  package var description: String { reason }

  package var response: HTTPResponse {
    .json(
      RawJSON(object: [("error", RawJSON(true)), ("reason", RawJSON(reason))]), status: status, headers: headers)
  }

  /// The object does not exist or belongs to another person; the answer does not tell which.
  package static let notFound = APIError(404, "Not Found")
  /// The token is missing, unknown or expired.
  package static let unauthorized = APIError(401, "Unauthorized", headers: ["WWW-Authenticate": "Bearer"])

  /// A field or parameter is invalid; the sentence names it.
  package static func invalid(_ reason: String) -> APIError { APIError(400, reason) }

  static let tooLarge = APIError(413, "The body is larger than \(APIRequest.largestBody) bytes.")
  static let mediaType = APIError(415, "The body must be application/json.")

  static func methodNotAllowed(_ allowed: [String]) -> APIError {
    APIError(405, "Method Not Allowed", headers: ["Allow": allowed.joined(separator: ", ")])
  }

  /// The answer where the database lacks a column that the call needs; `nil` for another failure.
  ///
  /// An app decides which columns its own tables have, and other calls do without them.
  init?(lacking error: PostgresError) {
    guard error.sqlState == "42703" else { return nil }
    self.init(501, "This needs a column that the database does not have: \(error.message).")
  }

  /// The answer to a failure; `nil` for a wrong configuration, which has to end the function.
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
