import FunctionKit

/// Puts the same ids and addresses into every export of an event, and takes secrets out.
struct Pseudonyms {
  private var ids: [String: String] = [:]
  private var addresses: [String: String] = [:]

  /// The text with every UUID and e-mail address replaced, each by the same one wherever it stands.
  mutating func replaced(_ text: String) -> String {
    let text = text.replacing(/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) { match in
      id(String(match.output).lowercased())
    }
    return text.replacing(/[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/) { match in
      address(String(match.output).lowercased())
    }
  }

  /// Digits only, so that upper and lower case are the same.
  private mutating func id(_ original: String) -> String {
    if let known = ids[original] { return known }
    let number = String(ids.count + 1)
    let new = "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - number.count) + number
    ids[original] = new
    return new
  }

  private mutating func address(_ original: String) -> String {
    if let known = addresses[original] { return known }
    let new = "person-\(addresses.count + 1)@example.com"
    addresses[original] = new
    return new
  }

  /// Whether a column's name says that it keeps a secret.
  static func isSecret(_ column: String) -> Bool {
    ["token", "secret", "password", "api_key", "apikey", "hash", "signature"].contains { column.contains($0) }
  }

  /// A row in which each text of a secret column is a digest of its place.
  static func withoutSecrets(_ row: RawJSON, redacted: [String], place: String) -> RawJSON {
    RawJSON(
      object: row.members.map { member in
        guard isSecret(member.name) || redacted.contains(member.name), member.value.kind == .string else {
          return (member.name, member.value)
        }
        return (member.name, RawJSON(SHA256.hex("\(place) \(member.name)".utf8)))
      })
  }
}
