import Documents
import Formats
import FoundationEssentials
import FunctionKit

/// The pseudonyms of an export for ids, addresses, names, texts, numbers and secrets: the same for the same value.
///
/// Only what tells nothing of a person stays: times, booleans, numbers, words of columns that classify a row, and the names
/// of members that the bundle itself uses.
struct Pseudonyms {
  /// The columns of the bundle's tables, by the tables' names.
  private let columns: [String: Set<String>]
  /// The names of members that stay.
  private let names: Set<String>
  /// Columns whose values are secrets besides those whose names say so.
  private let redacted: Set<String>
  private var ids: [String: String] = [:]
  private var addresses: [String: String] = [:]
  private var texts: [String: String] = [:]
  private var secrets: [String: String] = [:]
  private var members: [String: String] = [:]

  // Each has its own program, which would otherwise be made again for every text.
  private let moment =
    /(?:[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ](?=[0-9])|$))?(?:[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:Z|[+-][0-9:]{2,8})?)?/
  private let cron = /(?:(?:\*|[0-9]{1,2})(?:[\/,-][0-9A-Z]{1,3})*(?: |$)){5}/
  private let language = /[A-Za-z]{2,3}(?:[-_](?:[A-Za-z]{2,4}|[0-9]{3})){0,2}/
  private let zone =
    /(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific|Etc|US|Canada|Brazil|Chile|Mexico)(?:\/[A-Za-z0-9_+-]{1,30}){1,2}|UTC|GMT/

  /// - Parameters:
  ///   - columns: those of the bundle's tables, by the tables' names.
  ///   - sample: an event of the function, whose members are those that it reads.
  init(columns: [String: Set<String>] = [:], sample: RawJSON? = nil, redacted: [String] = []) {
    (self.columns, self.redacted) = (columns, Set(redacted))
    var names = columns.values.reduce(into: Self.ofEvents) { $0.formUnion($1) }
    if let sample { Self.add(sample, to: &names) }
    self.names = names.union(names.map(Self.camel))
  }

  /// A test in which each value has its pseudonym.
  mutating func replaced(_ test: EventTest) -> EventTest {
    let rows = test.rows.map { (table: $0.table, rows: $0.rows.map { row($0) }) }
    let expected = test.expected.map { one in
      var new = one
      new.person = id(one.person)
      new.name = one.name.map { known("name", $0) }
      new.kind = word(one.kind) ?? known("id", one.kind)
      new.subject = text(one.subject, of: "subject")
      return new
    }
    let doubts = test.doubts.map { ReplayDoubt($0.reason, of: $0.person.map { id($0) }) }
    return EventTest(
      function: test.function, at: test.at, event: event(test.event), rows: rows, expected: expected, doubts: doubts)
  }

  /// A row of one of the bundle's tables.
  mutating func row(_ row: RawJSON) -> RawJSON {
    let isSpread = ["quiet_hours", "muted"].contains(row["reason"]?.stringValue) || row["release_at"] != nil
    return RawJSON(
      object: row.members.map { member in
        let new = value(member.value, of: member.name, isColumn: true)
        // The seconds would tell something of the person's id.
        let isEnd = isSpread && ["held_until", "release_at", "not_before"].contains(member.name)
        return (member.name, isEnd ? Self.minute(of: new) : new)
      })
  }

  /// An event as its function got it.
  ///
  /// A change keeps only the columns of the bundle's tables.
  mutating func event(_ event: RawJSON) -> RawJSON {
    let data = event["data"]
    let table = data?["schema"]?.stringValue == "public" ? data?["table"]?.stringValue : nil
    let known = table.flatMap { columns[$0] }
    var members: [(String, RawJSON)] = []
    for member in event.members where member.name != "traceparent" {
      let text = member.value.stringValue
      let new: RawJSON =
        switch (member.name, text) {
        case ("specversion", _), ("datacontenttype", _): member.value
        case ("source", let source?) where source == "/postgres/public/\(table ?? "")" && known != nil: member.value
        case ("source", let source?): RawJSON(self.known("id", source))
        case ("type", let type?) where type.hasPrefix("dev.push-functions."): member.value
        case ("attempt", _): member.value
        case ("data", _):
          if let known { change(member.value, known) } else { value(member.value, of: "", isColumn: false) }
        default: value(member.value, of: member.name, isColumn: false)
        }
      members.append((memberName(member.name), new))
    }
    return RawJSON(object: members)
  }

  private mutating func change(_ data: RawJSON, _ known: Set<String>) -> RawJSON {
    RawJSON(
      object: data.members.map { member in
        switch member.name {
        case "schema", "table": (member.name, member.value)
        case "record", "old_record":
          (member.name, member.value.kind == .object ? row(member.value.with(only: known)) : RawJSON.null)
        default: (memberName(member.name), value(member.value, of: member.name, isColumn: false))
        }
      })
  }

  /// - Parameter isColumn: whether it is a value of a bundle's column.
  private mutating func value(_ value: RawJSON, of member: String, isColumn: Bool) -> RawJSON {
    let isSecret = isSecret(member)
    switch value.kind {
    case .object where isSecret: return RawJSON(object: [])
    case .array where isSecret: return RawJSON(array: [])
    case .object:
      let hasWords = isColumn && Self.ofWords.contains(member)
      return RawJSON(
        object: value.members.map { inner in
          let name = hasWords && word(inner.name) != nil ? inner.name : memberName(inner.name)
          return (name, self.value(inner.value, of: inner.name, isColumn: false))
        })
    case .array:
      return RawJSON(array: (value.elements ?? []).map { self.value($0, of: member, isColumn: isColumn) })
    case .number: return isSecret ? RawJSON(1) : number(value, of: member, isColumn: isColumn)
    case .string: return RawJSON(text(value.stringValue ?? "", of: member))
    default: return value
    }
  }

  /// A whole number of the bundle's columns, or a small one, unless it is of a place; else 0.
  private func number(_ value: RawJSON, of member: String, isColumn: Bool) -> RawJSON {
    let isPlace = Self.has(member, ["latitude", "longitude"]) || ["lat", "lng", "lon"].contains(member.lowercased())
    guard !isPlace, let number = value.intValue, isColumn || abs(number) < 1_000 else { return RawJSON(0) }
    return RawJSON(number)
  }

  private mutating func text(_ text: String, of member: String) -> String {
    let length = text.utf8.count
    if length == 0 || (length <= 40 && text.wholeMatch(of: moment) != nil) { return text }
    // Ids and addresses have the same pseudonym in each column, be it called a token or redacted: rows refer by them.
    if length == 36, let id = UUID(uuidString: text) { return self.id(id) }
    if Self.isAddress(text) {
      return Self.known(text.lowercased(), in: &addresses) { "person-\($0)@example.com" }
    }
    if isSecret(member) { return Self.known(text, in: &secrets) { SHA256.hex("secret \($0)".utf8) } }
    if ["language", "locale"].contains(member), length <= 12, text.wholeMatch(of: language) != nil { return text }
    if ["timezone", "time_zone", "timeZone"].contains(member), text.wholeMatch(of: zone) != nil { return text }
    if member == "schedule", length <= 60, text.wholeMatch(of: cron) != nil { return text }
    if Self.kept.contains(member), let word = word(text) { return word }
    if Self.isID(member) { return key(text) ?? known("id", text) }
    return known(Self.has(member, ["name", "author", "nick", "handle", "sender"]) ? "name" : "text", text)
  }

  /// A text of UUIDs and words, such as `votes/` and an id, with the UUIDs replaced; `nil` if it is another one.
  private mutating func key(_ text: String) -> String? {
    let bytes = Array(text.utf8)
    guard (37...200).contains(bytes.count), bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    var (new, rest, hasID) = ("", "", false)
    var place = 0
    while place < bytes.count {
      let end = place + 36
      if end <= bytes.count, bytes[place + 8] == UInt8(ascii: "-"),
        let id = UUID(uuidString: String(decoding: bytes[place..<end], as: UTF8.self))
      {
        new += self.id(id)
        (place, hasID) = (end, true)
      } else {
        let character = Character(Unicode.Scalar(bytes[place]))
        new.append(character)
        rest.append(character)
        place += 1
      }
    }
    let parts = rest.split { "_:./#|-+".contains($0) }
    let isOfProgram = parts.allSatisfy { part in
      let isWord = part.allSatisfy { $0.isLowercase } || part.allSatisfy { $0.isNumber || $0 == "T" || $0 == "Z" }
      return part.count <= 24 && isWord
    }
    return hasID && isOfProgram ? new : nil
  }

  /// Letters with `_` or `-` between them; else `nil`.
  private func word(_ text: String) -> String? {
    let isWord =
      text.utf8.count <= 40
      && text.utf8.allSatisfy { byte in
        [UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte) || (0x41...0x5A).contains(byte)
          || (0x61...0x7A).contains(byte)
      }
    return isWord ? text : nil
  }

  private mutating func memberName(_ name: String) -> String {
    names.contains(name) ? name : Self.known(name, in: &members) { "member_\($0)" }
  }

  private mutating func id(_ id: RowID) -> RowID {
    UUID(uuidString: self.id(id.uuid)).map { RowID(uuid: $0) } ?? id
  }

  private mutating func id(_ id: UUID) -> String {
    Self.known(id.lowercased, in: &ids) { number in
      let digits = String(number)
      return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }
  }

  /// The pseudonym of a text that is an id, a name or something else; which one it is says where it stood first.
  private mutating func known(_ kind: String, _ text: String) -> String {
    Self.known(text, in: &texts) { kind == "id" ? "id-\($0)" : "\(kind == "name" ? "Name" : "Text") \($0)" }
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
    redacted.contains(member) || Self.has(member, Self.secret) || ["pin", "cvv", "cvc"].contains(member.lowercased())
  }

  private static let secret = [
    "token", "secret", "passw", "passphrase", "passcode", "pwd", "api_key", "apikey", "hash", "signature", "credential",
    "private_key", "cookie", "session", "webhook",
  ]

  private static func has(_ member: String, _ parts: [String]) -> Bool {
    let member = member.lowercased()
    return parts.contains { member.contains($0) }
  }

  /// Whether it names a row, a person or a thing.
  private static func isID(_ member: String) -> Bool {
    ofIDs.contains(member) || endsOfIDs.contains { member.hasSuffix($0) }
  }

  private static let endsOfIDs = ["_id", "Id", "ID", "_ids", "Ids", "IDs", "_by", "_key"]

  private static let ofIDs: Set = [
    "id", "actor", "subject", "user", "owner", "by", "target", "partitionkey", "actorid", "replayedfrom", "source",
    "family_subject",
  ]

  private static func isAddress(_ text: String) -> Bool {
    guard text.utf8.count <= 320, !text.contains(where: \.isWhitespace) else { return false }
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".")
  }

  /// A time with its seconds at 0.
  private static func minute(of value: RawJSON) -> RawJSON {
    guard let text = value.stringValue, text.count > 19 else { return value }
    return RawJSON("\(text.prefix(16)):00\(text.dropFirst(19).drop { $0 == "." || $0.isNumber })")
  }

  private static func camel(_ name: String) -> String {
    let parts = name.split(separator: "_")
    return parts.dropFirst().reduce(String(parts.first ?? "")) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
  }

  private static func add(_ document: RawJSON, to names: inout Set<String>) {
    for member in document.members {
      names.insert(member.name)
      add(member.value, to: &names)
    }
    for element in document.elements ?? [] { add(element, to: &names) }
  }

  /// Members of events.
  private static let ofEvents: Set = [
    "specversion", "id", "source", "type", "time", "subject", "datacontenttype", "partitionkey", "actorid",
    "replayedfrom", "attempt", "now", "data", "schema", "table", "record", "old_record", "schedule", "timezone",
    "scheduledTime", "firedAt", "lastScheduledTime", "start", "end",
  ]

  /// Columns of documents whose members' names are words: weekdays, and kinds of notifications.
  private static let ofWords: Set = ["quiet_hours_days", "switches"]

  /// The names of columns that classify a row, such as `status`: a single word stays there.
  private static let kept: Set = [
    "action", "app", "category", "conflict_level", "deactivated_reason", "decision", "environment", "event",
    "fallback_strategy", "family", "function", "importance", "kind", "level_before_mute", "notification_level",
    "notification_sound", "operation", "origin", "outage", "platform", "priority", "probe_environment", "provider",
    "push_type", "reason", "recipient_reason", "role", "scope", "sound", "state", "status", "traffic",
    "travel_mode", "type", "variant", "visibility", "vote",
  ]
}

extension RawJSON {
  fileprivate static let null = RawJSON(trusting: Array("null".utf8))

  fileprivate func with(only names: Set<String>) -> RawJSON {
    RawJSON(object: members.filter { names.contains($0.name) }.map { ($0.name, $0.value) })
  }
}
