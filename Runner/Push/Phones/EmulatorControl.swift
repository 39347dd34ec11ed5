import Formats
import FunctionKit
import HTTPClient

/// The control API of the push emulator, which the runner has started.
struct EmulatorControl: Sendable {
  private let url: String
  private let client: HTTPClient

  /// The emulator of the process's environment, whose connections stay; `nil` if the runner has started none.
  static let own = EmulatorControl(.current())

  private init?(_ environment: Environment) {
    guard let url = environment["PUSH_EMULATOR_URL"], let authority = environment["APNS_CA_PATH"] else { return nil }
    self.url = url
    client = HTTPClient(
      trust: .certificateAuthority(path: authority), limits: HTTPLimits(total: .seconds(8), body: 64 << 20))
  }

  /// The emulator, which has to be there.
  static func required() throws(FunctionError) -> EmulatorControl {
    guard let control = own else {
      throw FunctionError(
        .misconfigured,
        "No push emulator runs: runner serve starts one beside a local database, where neither an APNs "
          + "key nor a Firebase account is set.")
    }
    return control
  }

  /// Reads something; `nil` for an answer without a body.
  /// - Throws: the emulator's own sentence for a refusal.
  func get(_ path: String) async throws(FunctionError) -> RawJSON? { try await send(HTTPCall(.get, url + path)) }

  /// Sends a document.
  @discardableResult
  func post(_ path: String, _ body: RawJSON) async throws(FunctionError) -> RawJSON? {
    try await send(HTTPCall(.post, url + path, body: Array(body.bytes)))
  }

  /// Removes something.
  func delete(_ path: String) async throws(FunctionError) { _ = try await send(HTTPCall(.delete, url + path)) }

  /// How many bytes of tokens one request names: its head has 16 KiB at most.
  private static let bytesAtOnce = 8_192

  /// The screens of devices, by their tokens; one that has got nothing is absent.
  ///
  /// - Parameter notes: how many notifications of each, the newest.
  func screens(of tokens: [String], notes: Int) async throws(FunctionError) -> [String: RawJSON] {
    var screens: [String: RawJSON] = [:]
    for query in Self.queries(of: tokens) {
      for screen in try await get("/devices?\(query)notes=\(notes)")?["devices"]?.elements ?? [] {
        screens[screen["token"]?.stringValue ?? ""] = screen
      }
    }
    // The emulator may spell a token with small letters.
    for token in tokens where screens[token] == nil { screens[token] = screens[token.lowercased()] }
    return screens
  }

  /// Queries that name all the tokens together, none longer than the head of a request may be.
  static func queries(of tokens: [String]) -> [String] {
    var queries: [String] = []
    for token in tokens {
      let part = "token=\(PercentEncoding.encoded(token))&"
      if let last = queries.last, last.utf8.count + part.utf8.count <= bytesAtOnce {
        queries[queries.count - 1] += part
      } else {
        queries.append(part)
      }
    }
    return queries
  }

  private func send(_ call: HTTPCall) async throws(FunctionError) -> RawJSON? {
    let answer: HTTPAnswer
    do throws(HTTPClientError) {
      answer = try await client.send(call)
    } catch {
      throw FunctionError(.unavailable, "The push emulator does not answer (\(error)); is the runner running?")
    }
    let json = try? RawJSON(validating: answer.body[...])
    guard (200...299).contains(answer.status) else {
      let sentence = json?["error"]?.stringValue ?? "The push emulator answered \(answer.status)."
      throw FunctionError(answer.status == 404 ? .noInput : .usage, sentence)
    }
    return json
  }
}
