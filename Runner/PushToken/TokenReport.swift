import FoundationEssentials
import FunctionKit
import PersonLive
import Terminal

/// What the command prints.
struct TokenReport {
  let text: String

  init(_ issued: IssuedToken, asJSON: Bool) throws {
    guard !asJSON else {
      let listing = try JSONCoding.encode(issued.listing).members.map { ($0.name, $0.value) }
      text = Self.line(RawJSON(object: [("token", RawJSON(issued.token.exposed))] + listing))
      return
    }
    text = """
      \(issued.token.exposed)

      Keep it: it is not shown again. It ends \(RFC3339.string(issued.listing.expiresAt)).
      Before that: runner token revoke \(issued.listing.id)
      """
  }

  init(_ listings: [TokenListing], asJSON: Bool) throws {
    guard !asJSON else {
      text = Self.line(RawJSON(object: [("tokens", try JSONCoding.encode(listings))]))
      return
    }
    let rows = listings.map {
      [$0.id, $0.name, RFC3339.string($0.createdAt), RFC3339.string($0.expiresAt)]
    }
    let lines = ([["id", "name", "created", "expires"]] + rows).map { row in
      zip(row, [36, 16, 24, 24]).map { $0.0.onOneCleanLine.padded(to: $0.1) }.joined(separator: "  ").trimmedAtEnd
    }
    text = listings.isEmpty ? "No tokens." : lines.joined(separator: "\n")
  }

  private static func line(_ document: RawJSON) -> String { String(decoding: document.bytes, as: UTF8.self) }
}
