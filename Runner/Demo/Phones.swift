import FunctionKit
import HTTPClient

/// The pushes on the phones, read from the push emulator.
struct Phones: Sendable {
  private let client: HTTPClient
  private let url: String
  private var next = 0
  /// The pushes since the beginning of the story, by their ids.
  private(set) var received: [String: RawJSON] = [:]

  init(url: String, authority: String) {
    client = HTTPClient(trust: .certificateAuthority(path: authority), limits: HTTPLimits(body: 64 << 20))
    self.url = url
  }

  /// Skips pushes from before the story.
  mutating func skipPast() async throws(FunctionError) {
    next = try await page("last=1").next
  }

  /// Takes the pushes since the last time.
  mutating func receive() async throws(FunctionError) {
    let page = try await page("since=\(next)")
    next = page.next
    for push in page.pushes where push["status"]?.intValue == 200 {
      if let id = push["apnsID"]?.stringValue { received[id] = push }
    }
  }

  private func page(_ query: String) async throws(FunctionError) -> (pushes: [RawJSON], next: Int) {
    let answer: HTTPAnswer
    do throws(HTTPClientError) {
      answer = try await client.send(HTTPCall(.get, "\(url)/pushes?\(query)"))
    } catch {
      throw FunctionError(.failed, "The push emulator does not answer (\(error)); is the runner running?")
    }
    guard answer.status == 200, let json = try? RawJSON(validating: answer.body[...]),
      let pushes = json["pushes"]?.elements, let next = json["next"]?.intValue
    else { throw FunctionError(.failed, "The push emulator answered with status \(answer.status).") }
    return (pushes, next)
  }
}
