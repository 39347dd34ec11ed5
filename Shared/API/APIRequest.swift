package import FoundationEssentials
package import FunctionKit
import HTTP1
package import Notifications
package import StoreLive

/// A request for its endpoint.
package struct APIRequest: Sendable {
  /// The size of the largest body, in bytes.
  package static let largestBody = 65_536

  /// The time for decisions and stamps.
  package let now: Date
  /// Whether to check everything and change nothing.
  package let dryRun: Bool
  /// The key under which the effects of the call are recorded.
  package let eventContext: EventContext
  /// The log of this request.
  package let log: Log
  private let path: [String: String]
  private let query: [String: String]
  private let body: Result<RawJSON?, APIError>
  private let headers: [String: String]
  /// The body; `nil` if it is not text.
  let rawBody: String?

  init(_ event: Event<HTTPRequest>, _ parameters: [String: String], _ context: Context) throws(APIError) {
    let request = event.data
    (now, dryRun, log) = (context.now, context.dryRun, context.log)
    eventContext = EventContext(event, context)
    path = parameters
    query = request.queryStringParameters ?? [:]
    headers = request.headers
    rawBody = request.isBase64Encoded ? nil : request.body
    body = Result { () throws(APIError) in try Self.document(request) }
  }

  /// An id in the path; a text that is no id gets 404.
  package func id(_ name: String) throws(APIError) -> UUID {
    guard let id = path[name].flatMap(UUID.init(uuidString:)) else { throw .notFound }
    return id
  }

  /// A parameter of the path, as sent.
  package func text(_ name: String) throws(APIError) -> String {
    guard let text = path[name] else { throw .notFound }
    return text
  }

  /// A parameter of the query; `nil` if it is missing.
  package func parameter<Value>(_ name: String, _ rule: FieldRule<Value>) throws(APIError) -> Value? {
    guard let text = query[name] else { return nil }
    let document = try? RawJSON(validating: Array(text.utf8)[...])
    let bare = document.flatMap { [.number, .bool].contains($0.kind) ? rule.read($0) : nil }
    guard let value = bare ?? rule.read(RawJSON(text)) else { throw .invalid("\(name) must be \(rule.expectation).") }
    return value
  }

  /// A header field by its name in lower case.
  package func header(_ name: String) -> String? {
    headers[name] ?? headers.first { $0.key.lowercased() == name }?.value
  }

  /// The body's fields.
  ///
  /// - Throws: an ``APIError`` if the body is missing or is no JSON object.
  package func fields() throws(APIError) -> Fields {
    guard let document = try body.get() else { throw .invalid("The body is missing.") }
    return try Fields(document)
  }

  /// The body's fields; none without a body.
  package func optionalFields() throws(APIError) -> Fields {
    try Fields(try body.get() ?? RawJSON(object: []))
  }

  private static func document(_ request: HTTPRequest) throws(APIError) -> RawJSON? {
    guard let body = request.body, !body.isEmpty else { return nil }
    if let type = request.headers.first(where: { $0.key.lowercased() == "content-type" })?.value {
      let media = type.prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
      guard media == "application/json" || media.hasSuffix("+json") else { throw .mediaType }
    }
    let bytes = try bytes(of: body, isBase64: request.isBase64Encoded)
    guard bytes.count <= largestBody else { throw .tooLarge }
    do {
      return try RawJSON(validating: bytes[...], isFromOutside: true)
    } catch {
      throw .invalid("The body is \(error).")
    }
  }

  private static func bytes(of body: String, isBase64: Bool) throws(APIError) -> [UInt8] {
    guard isBase64 else { return Array(body.utf8) }
    guard let data = Data(base64Encoded: body) else { throw .invalid("The body is not Base64.") }
    return Array(data)
  }

  /// The query's app; FeedbackKit if it names none.
  package func app() throws(APIError) -> App { try parameter("app", .choice) ?? .default }

  /// Whether the sender prefers JSON to a page.
  package var wantsJSON: Bool {
    let media = (header("accept") ?? "").lowercased()
    return media.contains("application/json") && !media.contains("text/html")
  }

  /// A field of a page's form (`application/x-www-form-urlencoded`).
  ///
  /// - Returns: its raw value, not percent-decoded; `nil` without the field or a form.
  /// - Throws: an ``APIError`` if the body is too large, even if it is no form.
  package func formField(_ name: String) throws(APIError) -> String? {
    guard rawBody?.utf8.count ?? 0 <= Self.largestBody else { throw .tooLarge }
    let media = (header("content-type") ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    guard media == "application/x-www-form-urlencoded", let body = rawBody else { return nil }
    for pair in body.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0] == name { return String(parts[1]) }
    }
    return nil
  }
}

extension HTTPRequest {
  /// The length of the longest token, in characters.
  private static let longestToken = 4_096

  /// The token that proves who calls; `nil` if there is none, or none of its form (RFC 6750).
  var bearerToken: String? {
    guard let field = headers.first(where: { $0.key.lowercased() == "authorization" })?.value,
      let token = BearerToken.shown(in: field), token.utf8.count <= Self.longestToken,
      token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return String(token)
  }
}
