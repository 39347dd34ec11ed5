import FunctionKit

/// What stands in an export for ids, addresses, names, texts and secrets: the same for the same value.
///
/// Words that the schema names, times, and words that look like a program's stay: a function may decide by them.
struct Pseudonyms {
  /// Literals of the database's constraints and defaults, and the labels of its enumerations, in lower case.
  let words: Set<String>
  /// Columns whose values are secrets besides those whose names say so.
  let redacted: [String]
  private var ids: [String: String] = [:]
  private var addresses: [String: String] = [:]
  private var texts: [String: String] = [:]
  private var secrets: [String: String] = [:]

  init(words: Set<String> = [], redacted: [String] = []) {
    (self.words, self.redacted) = (words, redacted)
  }

  /// A document in which each value has its pseudonym.
  mutating func replaced(_ document: RawJSON) throws -> RawJSON {
    let text = addressesReplaced(in: value(document, of: "").pretty)
    return try RawJSON(validating: Array(text.utf8)[...])
  }

  private mutating func value(_ value: RawJSON, of member: String) -> RawJSON {
    let isSecret = isSecret(member)
    switch value.kind {
    case .object where isSecret, .array where isSecret: return .null
    case .object: return RawJSON(object: value.members.map { ($0.name, self.value($0.value, of: $0.name)) })
    case .array: return RawJSON(array: (value.elements ?? []).map { self.value($0, of: member) })
    case .number where isSecret || Self.names(member, ["latitude", "longitude"]): return RawJSON(0)
    case .string: return RawJSON(value.stringValue.map { text($0, of: member, isSecret: isSecret) } ?? "")
    default: return value
    }
  }

  private mutating func text(_ text: String, of member: String, isSecret: Bool) -> String {
    let isKept =
      text.isEmpty || text.wholeMatch(of: Self.moment) != nil || text.wholeMatch(of: Self.uuid) != nil
    if isKept { return text }
    if isSecret { return Self.known(text, in: &secrets) { SHA256.hex("secret \($0)".utf8) } }
    if words.contains(text.lowercased()) || text.wholeMatch(of: Self.address) != nil { return text }
    if Self.names(member, ["language", "locale", "timezone", "time_zone"]) { return text }
    let isID = member == "id" || Self.endsOfIDs.contains { member.hasSuffix($0) }
    if isID, text.firstMatch(of: Self.uuid) == nil { return Self.known(text, in: &texts) { "id-\($0)" } }
    let isName = Self.names(member, ["name", "author", "nick", "handle", "sender"])
    if !isName, !Self.names(member, Self.free), Self.isWordOfProgram(text) { return text }
    return Self.known(text, in: &texts) { "\(isName ? "Name" : "Text") \($0)" }
  }

  /// The text with every UUID and e-mail address replaced, in upper or lower case by the same one.
  private mutating func addressesReplaced(in text: String) -> String {
    let text = text.replacing(Self.uuid) { match in
      Self.known(match.output.lowercased(), in: &ids) { number in
        let digits = String(number)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
      }
    }
    return text.replacing(Self.address) { match in
      Self.known(match.output.lowercased(), in: &addresses) { "person-\($0)@example.com" }
    }
  }

  private static func known(
    _ original: String, in all: inout [String: String], new: (_ number: Int) -> String
  ) -> String {
    if let known = all[original] { return known }
    let pseudonym = new(all.count + 1)
    all[original] = pseudonym
    return pseudonym
  }

  private func isSecret(_ member: String) -> Bool {
    redacted.contains(member)
      || Self.names(member, ["token", "secret", "password", "api_key", "apikey", "hash", "signature"])
  }

  private static func names(_ member: String, _ parts: [String]) -> Bool {
    let member = member.lowercased()
    return parts.contains { member.contains($0) }
  }

  /// How the names of columns end that name a row, a person or a thing.
  private static let endsOfIDs = ["_id", "Id", "ID", "_ids", "Ids", "actor", "subject"]

  /// What columns of people's own words and places are called.
  private static let free = [
    "title", "content", "body", "text", "message", "description", "comment", "note_", "address", "location", "city",
    "street", "phone", "mail", "url", "link", "avatar", "value", "payload",
  ]

  /// Whether a text is of short words without spaces, such as `feature_request`, `INSERT` or `votes/` and an id.
  private static func isWordOfProgram(_ text: String) -> Bool {
    let isKey = text.firstMatch(of: uuid) != nil
    return text.replacing(uuid, with: "").split { "_:./#|-+".contains($0) }.allSatisfy { part in
      if isKey, part.wholeMatch(of: /[0-9]+/) != nil { return true }
      return part.count <= 24
        && part.wholeMatch(of: /[a-z]+(?:[A-Z][a-z]+)*[0-9]{0,4}|[A-Z]+|[0-9]{1,4}/) != nil
    }
  }

  private static var uuid: Regex<Substring> { /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/ }

  private static var address: Regex<Substring> { /[A-Za-z0-9._%+'-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/ }

  /// A day or a time of the day, or both.
  private static var moment: Regex<Substring> {
    /(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ](?=[0-9])|$))?(?:[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9:]{2,8})?)?/
  }
}
