import FunctionKit
import HTTPClient

/// What the phones got, read from the push emulator.
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

  /// Passes over what was there before the story.
  mutating func skipPast() async throws(DemoError) {
    next = try await page("last=1").next
  }

  /// Takes what has come since the last time.
  mutating func receive() async throws(DemoError) {
    let page = try await page("since=\(next)")
    next = page.next
    for push in page.pushes where push["status"]?.intValue == 200 {
      if let id = push["apnsID"]?.stringValue { received[id] = push }
    }
  }

  private func page(_ query: String) async throws(DemoError) -> (pushes: [RawJSON], next: Int) {
    let answer: HTTPAnswer
    do throws(HTTPClientError) {
      answer = try await client.send(HTTPCall(.get, "\(url)/pushes?\(query)"))
    } catch {
      throw .failed("The push emulator does not answer (\(error)); is the runner running?")
    }
    guard answer.status == 200, let json = try? RawJSON(validating: answer.body[...]),
      let pushes = json["pushes"]?.elements, let next = json["next"]?.intValue
    else { throw .failed("The push emulator answered with status \(answer.status).") }
    return (pushes, next)
  }
}
