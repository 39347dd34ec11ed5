import Foundation
import FunctionKit
import HTTPClient

/// The pushes that the phones got, read from the push emulator.
actor Phones {
  private let client: HTTPClient
  private let url: String
  private var next = 0

  /// - Parameter environment: what the emulator offers.
  init(_ environment: [String: String]) throws {
    guard let url = environment["PUSH_EMULATOR_URL"], let authority = environment["APNS_CA_PATH"] else {
      throw BenchmarkError("The push emulator does not run.")
    }
    self.url = url
    client = HTTPClient(trust: .certificateAuthority(path: authority))
  }

  /// When the next push that a person sees arrived, which must be one only, and accepted.
  ///
  /// Pushes that only set the badge come beside it.
  func nextArrival() async throws -> Date {
    while true {
      let answer = try await client.send(HTTPCall(.get, "\(url)/pushes?since=\(next)&wait=20"))
      guard answer.status == 200 else { throw BenchmarkError("The push emulator answered \(answer.status).") }
      let page = try RawJSON(validating: answer.body[...])
      next = page["next"]?.intValue ?? next
      let pushes = page["pushes"]?.elements ?? []
      let seen = pushes.filter { $0["payload"]?["aps"]?["alert"] != nil }
      guard !pushes.isEmpty, seen.count < 2, pushes.allSatisfy({ $0["status"]?.intValue == 200 }) else {
        throw BenchmarkError("One push was expected, not: \(answer.text)")
      }
      if let arrival = seen.first?["receivedAt"]?.stringValue.flatMap(RFC3339.date) { return arrival }
    }
  }
}
