import Formats
import FoundationEssentials
import FunctionKit
import HTTPClient
import PersonLive
import Postgres

/// The act of a person on a notification on a phone; their app would send the same request.
struct Tap {
  let notification: UUID
  let device: UUID?
  /// The button's action; `nil` for a tap on the notification itself.
  let action: String?
  /// Their text, for a button that asks for one.
  let text: String?

  /// How long the token is good that the request needs, in seconds.
  private static let lifetime: TimeInterval = 60

  /// Sends the request to the runner, with a token of the person's that ends with it.
  /// - Returns: the function's answer, a JSON object.
  /// - Throws: what the function says when it refuses.
  func send(_ environment: Environment) async throws -> RawJSON {
    guard let runner = environment["RUNNER_URL"] else {
      throw FunctionError(.unavailable, "No runner serves this project; start it with runner serve.")
    }
    let connection = Connection(url: try environment.databaseURL(), applicationName: "push phones")
    let rows = try await connection.query(
      "SELECT u.email FROM notifications n JOIN users u ON u.id = n.user_id WHERE n.id = \(notification)")
    guard let email = rows.first?["email"] else {
      throw FunctionError(.noInput, "The database has no notification \(notification.lowercased).")
    }
    let tokens = try TokenStore.live(environment, name: "push phones")
    guard let issued = try await tokens.issue(to: email, name: "a tap in the console", lasting: Self.lifetime) else {
      throw FunctionError(.noInput, "Nobody has the e-mail address \(email).")
    }
    let answer = await request(to: runner, issued.token)
    if let id = UUID(uuidString: issued.listing.id) { _ = try await tokens.revoke(id) }
    return try answer.get()
  }

  private func request(to runner: String, _ token: Secret<String>) async -> Result<RawJSON, FunctionError> {
    let id = notification.lowercased
    let members: [(String, RawJSON?)] = [
      ("action", action.map { RawJSON($0) }), ("deviceId", device.map { RawJSON($0.lowercased) }),
      ("text", text.map { RawJSON($0) }),
    ]
    let call = HTTPCall(
      .post, "\(runner)/api/v1/notifications/\(id)/\(action == nil ? "opened" : "actions")",
      headers: [("Authorization", "Bearer \(token.exposed)"), ("Content-Type", "application/json")],
      body: Array(RawJSON(object: members.compactMap { name, value in value.map { (name, $0) } }).bytes))
    do throws(HTTPClientError) {
      let answer = try await HTTPClient(limits: HTTPLimits(total: .seconds(20))).send(call)
      let json = (try? RawJSON(validating: answer.body[...])) ?? RawJSON(object: [])
      guard answer.status < 300 else {
        let sentence = json["reason"]?.stringValue ?? json["error"]?["message"]?.stringValue
        return .failure(FunctionError(.usage, sentence ?? "The runner answered \(answer.status)."))
      }
      return .success(json)
    } catch {
      return .failure(FunctionError(.unavailable, "The runner does not answer: \(error)"))
    }
  }
}
